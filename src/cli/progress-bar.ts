import { SingleBar } from 'cli-progress'
import type { TerminalStream } from './cli-io.ts'

/** Where a progress bar may be drawn, and for how much. */
export interface ProgressOptions {
  readonly stream: TerminalStream
  /** All bytes that will be read; `null` where nobody knows. */
  readonly totalBytes: number | null
  readonly ascii: boolean
}

/** A progress bar that is being drawn. */
export interface ProgressBar {
  /** Told how many bytes more have been read. */
  advance(bytes: number): void
  /** Takes the bar away. */
  stop(): void
}

const WORTH_A_BAR_BYTES = 8 * 1024 * 1024

/** Draws a progress bar, if there is a terminal to draw on and more than 8 MiB to read; else `null`. */
export function startProgressBar(options: ProgressOptions): ProgressBar | null {
  const { stream, totalBytes, ascii } = options
  if (stream.isTTY !== true || totalBytes === null || totalBytes <= WORTH_A_BAR_BYTES) return null
  const bar = new SingleBar({
    stream,
    format: 'reading {bar} {percentage} %, {eta_formatted} left',
    barCompleteChar: ascii ? '#' : '█',
    barIncompleteChar: ascii ? '.' : '░',
    barsize: 30,
    etaBuffer: 100,
    clearOnComplete: true,
    hideCursor: true,
  })
  bar.start(totalBytes, 0)
  return { advance: (bytes) => bar.increment(bytes), stop: () => bar.stop() }
}
