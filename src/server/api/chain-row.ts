import { createParameter, type Parameter } from './parameter.ts'
import type { StoredChain } from '../report-store.ts'
import {
  countSchema,
  type JsonSchema,
  listSchema,
  nullableSchema,
  objectSchema,
  reportRef,
  valueSchema,
} from './json-schema.ts'
import { timeSchema, toJsonTime } from './json-time.ts'

const NAME = '^[0-9a-f]{32}-[0-9a-f]{8}$'

/** A chain by its name. */
export const chainNameParameter: Parameter<string> = createParameter({
  description: 'Name of the chain: `<trace id>-<chain hash>`',
  schema: { type: 'string', pattern: NAME },
  expected: '32 hex digits, a hyphen, 8 hex digits, all in lower case',
  read: (text) => (new RegExp(NAME, 'u').test(text) ? text : null),
})

/** Writes a chain as lists show it; a field means what the field of that name means in the report. */
export function toChainRow(chain: StoredChain): Readonly<Record<string, unknown>> {
  const { rootCauseNode, rootCauseCode } = chain
  return {
    name: chain.name,
    trace_id: chain.traceId,
    chain_id: chain.chainId,
    revision: chain.revision,
    overall_status: chain.status,
    completeness: chain.completeness,
    summary: chain.summary,
    service_name: chain.service,
    agent_name: chain.agent,
    task_id: chain.taskId,
    session_id: chain.sessionId,
    started_at: toJsonTime(chain.startedMs),
    ended_at: toJsonTime(chain.endedMs),
    total_latency_ms: chain.latencyMs,
    step_count: chain.stepCount,
    token_count: chain.tokenCount,
    estimated_cost_usd: chain.costUsd,
    root_cause:
      rootCauseNode === null || rootCauseCode === null
        ? null
        : { node_name: rootCauseNode, code: rootCauseCode },
    findings: chain.findings,
    alerts: chain.alerts,
    digest: chain.digest,
  }
}

const textOrNull: readonly string[] = ['string', 'null']

/** What {@link toChainRow} writes. */
export const chainRowSchema: JsonSchema = objectSchema('A chain in a list', {
  name: { description: 'Name of its reports', type: 'string', pattern: NAME },
  trace_id: reportRef('TraceId'),
  chain_id: valueSchema('Id of the chain within its trace', 'string'),
  revision: { description: 'Of the latest report', type: 'integer', minimum: 1 },
  overall_status: reportRef('ChainStatus'),
  completeness: { description: 'As in the report', enum: ['complete', 'partial', 'amended'] },
  summary: valueSchema('What became of the run, in one sentence', 'string'),
  service_name: valueSchema('Null where none is recorded', textOrNull),
  agent_name: valueSchema('Null where none is recorded', textOrNull),
  task_id: valueSchema('Null where none is recorded', textOrNull),
  session_id: valueSchema('Null where none is recorded', textOrNull),
  started_at: timeSchema('Start of the chain'),
  ended_at: timeSchema('End of the chain'),
  total_latency_ms: { description: 'Milliseconds', type: 'number', minimum: 0 },
  step_count: countSchema('Steps of the chain'),
  token_count: countSchema('Tokens, each counted once'),
  estimated_cost_usd: valueSchema('Null where no price is known', ['number', 'null']),
  root_cause: nullableSchema(
    'The first node that failed; null where none did',
    objectSchema('A node and what is wrong with it', {
      node_name: valueSchema('Name of the node', 'string'),
      code: valueSchema('Code of the finding', 'string'),
    }),
  ),
  findings: listSchema('Codes of the findings', { type: 'string' }),
  alerts: listSchema('Types of the alerts', { type: 'string' }),
  digest: reportRef('Digest'),
})
