import { chainStatuses, nodeStatuses } from '../../chain/statuses.ts'
import type { HttpProblem } from '../http/http-problem.ts'
import type { ChainFilter } from '../report-store.ts'
import {
  createListParameter,
  createParameter,
  type Parameter,
  refuseParameter,
  type ValuesOf,
} from './parameter.ts'
import { readTime } from './read-time.ts'

const LONGEST_NAME = 4_096
const CODE = '^[a-z][a-z0-9_]{0,63}$'

function nameParameter(description: string): Parameter<string> {
  return createParameter({
    description,
    schema: { type: 'string', minLength: 1, maxLength: LONGEST_NAME },
    expected: `1 to ${LONGEST_NAME} characters`,
    read: (text) => (text === '' || text.length > LONGEST_NAME ? null : text),
  })
}

function codeParameter(description: string): Parameter<string> {
  const pattern = new RegExp(CODE, 'u')
  return createParameter({
    description,
    schema: { type: 'string', pattern: CODE },
    expected: 'a code such as empty_result',
    read: (text) => (pattern.test(text) ? text : null),
  })
}

function timeParameter(description: string): Parameter<number> {
  return createParameter({
    description: `${description}: RFC 3339, or milliseconds since the Unix epoch`,
    schema: {
      anyOf: [
        { type: 'string', format: 'date-time' },
        { type: 'integer', minimum: 0 },
      ],
    },
    expected:
      'a time such as 2026-11-30T12:00:00Z (a + is written %2B), or milliseconds since the Unix epoch',
    read: readTime,
  })
}

function costParameter(description: string): Parameter<number> {
  return createParameter({
    description: `${description} US dollars; chains without a known cost are left out`,
    schema: { type: 'number', minimum: 0 },
    expected: 'a number of US dollars such as 0.25',
    read: (text) => (/^\d{1,12}(?:\.\d{1,12})?$/u.test(text) ? Number(text) : null),
  })
}

function readWord(words: readonly string[]): (text: string) => string | null {
  return (text) => (words.includes(text) ? text : null)
}

/** A trace by its id. */
export const traceIdParameter: Parameter<string> = createParameter({
  description: 'Id of a trace',
  schema: { type: 'string', pattern: '^[0-9a-fA-F]{32}$' },
  expected: '32 hex digits',
  read: (text) => (/^[0-9a-f]{32}$/iu.test(text) ? text.toLowerCase() : null),
})

/** Which chains are asked for. */
export const chainParameters: {
  readonly status: Parameter<readonly string[]>
  readonly service: Parameter<string>
  readonly agent: Parameter<string>
  readonly node: Parameter<string>
  readonly node_status: Parameter<string>
  readonly finding: Parameter<string>
  readonly alert: Parameter<string>
  readonly task_id: Parameter<string>
  readonly session_id: Parameter<string>
  readonly trace_id: Parameter<string>
  readonly from: Parameter<number>
  readonly to: Parameter<number>
  readonly min_cost_usd: Parameter<number>
  readonly max_cost_usd: Parameter<number>
} = {
  status: createListParameter({
    description: 'State of the chain; may be given several times',
    schema: { enum: chainStatuses },
    expected: chainStatuses.join(', '),
    read: readWord(chainStatuses),
  }),
  service: nameParameter('Name of the service'),
  agent: nameParameter('Name of the agent'),
  node: nameParameter('A node that is in the chain'),
  node_status: createParameter({
    description: 'State in which `node` is',
    schema: { enum: nodeStatuses },
    expected: nodeStatuses.join(', '),
    read: readWord(nodeStatuses),
  }),
  finding: codeParameter('Code of a finding that the chain has, of whatever severity'),
  alert: codeParameter('Type of an alert that the chain has'),
  task_id: nameParameter('The task'),
  session_id: nameParameter('The session'),
  trace_id: traceIdParameter,
  from: timeParameter('Start of the chain, at or after'),
  to: timeParameter('Start of the chain, before'),
  min_cost_usd: costParameter('At least so many'),
  max_cost_usd: costParameter('At most so many'),
}

/** What of the parameters a request brings. */
export type ChainQuery = Partial<ValuesOf<typeof chainParameters>>

const FILTER_KEYS: Readonly<Record<keyof ChainQuery, keyof ChainFilter>> = {
  status: 'status',
  service: 'service',
  agent: 'agent',
  node: 'node',
  node_status: 'nodeStatus',
  finding: 'finding',
  alert: 'alert',
  task_id: 'taskId',
  session_id: 'sessionId',
  trace_id: 'traceId',
  from: 'fromMs',
  to: 'toMs',
  min_cost_usd: 'minCostUsd',
  max_cost_usd: 'maxCostUsd',
}

/**
 * Makes the filter of a query.
 *
 * @throws {HttpProblem} 400 where two parameters contradict each other
 */
export function toChainFilter(query: ChainQuery): ChainFilter {
  const problem = findContradiction(query)
  if (problem !== null) throw problem
  const entries = Object.entries(FILTER_KEYS).flatMap(([name, key]) => {
    const value = query[name as keyof ChainQuery]
    return value === undefined ? [] : [[key, value]]
  })
  return Object.fromEntries(entries) as ChainFilter
}

function findContradiction(query: ChainQuery): HttpProblem | null {
  const { node, node_status, from, to, min_cost_usd, max_cost_usd } = query
  if (node_status !== undefined && node === undefined)
    return refuseParameter('node_status', 'a node beside it', 'none')
  if (from !== undefined && to !== undefined && from > to)
    return refuseParameter('to', 'a time at or after from', 'an earlier one')
  if (min_cost_usd !== undefined && max_cost_usd !== undefined && min_cost_usd > max_cost_usd)
    return refuseParameter('max_cost_usd', 'at least min_cost_usd', 'less')
  return null
}
