import type { StoredChange } from '../report-store.ts'
import { toChainRow } from './chain-row.ts'

/**
 * Writes a change as a server-sent event. The row is one line of JSON, in which every line feed is an escape, so that
 * nothing in it can end the event or begin a field.
 */
export function writeEvent({ number, chain }: StoredChange): Buffer {
  return Buffer.from(`id: ${number}\nevent: chain\ndata: ${JSON.stringify(toChainRow(chain))}\n\n`)
}

/** Begins a stream: how long to wait before the next try, in milliseconds, and where the stream begins. */
export function writeOpening(position: number): Buffer {
  return Buffer.from(`retry: 3000\nid: ${position}\n: agent-reach\n\n`)
}

/** A comment, which keeps proxies and clients from taking the connection for dead. */
export const HEARTBEAT: Buffer = Buffer.from(': heartbeat\n\n')
