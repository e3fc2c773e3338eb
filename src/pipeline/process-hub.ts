import type { ChainReport } from '../report/chain-report.ts'
import type { LiveLimits } from './live-limits.ts'
import { PROTOCOL, TraceTracker } from './trace-tracker.ts'

/**
 * Where every copy of this package in the process (ES modules beside CommonJS, two versions, bundles) finds the one
 * tracker.
 */
const HUB = Symbol.for('agent-reach.v1')

/** What stands there. */
interface ProcessHub {
  tracker: TraceTracker | null
  /** Who takes the reports of the tracker, whichever it is, beside those who follow spans. */
  readonly listeners: Set<(report: ChainReport) => void>
}

/**
 * The tracker of this process; made with these limits where nobody follows spans yet.
 *
 * @returns one of its own, and `isShared` false, where a copy of the package that works in another way has the place
 */
export function joinTracker(limits: Required<LiveLimits>): {
  readonly tracker: TraceTracker
  readonly isShared: boolean
} {
  const hub = openHub()
  const { tracker } = hub
  if (tracker !== null && tracker.protocol !== PROTOCOL) {
    return { tracker: new TraceTracker(limits), isShared: false }
  }
  if (tracker?.isWatched === true) return { tracker, isShared: true }
  const fresh = new TraceTracker(limits, hub.listeners)
  hub.tracker = fresh
  return { tracker: fresh, isShared: true }
}

/** The tracker that follows the spans of this process; `null` where no processor is registered. */
export function findTracker(): TraceTracker | null {
  const { tracker } = openHub()
  return tracker !== null && tracker.protocol === PROTOCOL && tracker.isWatched ? tracker : null
}

/**
 * Hands every report that a processor of this process makes to a function, too.
 *
 * @returns a function that takes it back
 */
export function listenToReports(listener: (report: ChainReport) => void): () => void {
  const { listeners } = openHub()
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

function openHub(): ProcessHub {
  const places = globalThis as unknown as Record<symbol, ProcessHub | undefined>
  return (places[HUB] ??= { tracker: null, listeners: new Set() })
}
