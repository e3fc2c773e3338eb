import type { Checkpoint } from '../chain/chain.ts'
import { toExcerpt } from '../findings/excerpt.ts'
import type { ReportCheckpoints } from './chain-report.ts'
import { toIsoTime } from './iso-time.ts'

/** The checkpoints of a chain; what the steps only stand for cannot fail a run that nobody gave expectations. */
export function describeCheckpoints(points: readonly Checkpoint[]): ReportCheckpoints {
  return {
    expected: [],
    actual: [...new Set(points.map((point) => point.id))],
    missing: [],
    passed: points.every((point) => point.status === 'passed' || point.source === 'derived'),
    records: points.map((point) => ({
      id: point.id,
      name: point.name,
      status: point.status,
      source: point.source,
      span_id: point.step.record.spanId,
      node_name: point.step.record.nodeName,
      at: toIsoTime(point.timeNs),
      data: point.data === null || point.source === 'derived' ? point.data : toExcerpt(point.data),
    })),
  }
}
