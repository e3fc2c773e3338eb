import type { ChainFilter } from './report-store.ts'
import type { SqlValue } from './sqlite-driver.ts'

/** Conditions on a table `chains` that is called `c`, and the values of their question marks in the same order. */
export interface SqlCondition {
  readonly sql: string
  readonly values: readonly SqlValue[]
}

/** Tells of a value that few enough chains have it to go by it, and not by time. */
export type IsRare = (table: string, column: string, value: string) => boolean

const GOOD = 'success'

/** Makes conditions of a filter; what somebody asks for is never part of the text. */
export function toConditions(filter: ChainFilter, isRare: IsRare): readonly SqlCondition[] {
  return [
    ...statusConditions(filter.status),
    ...equal('service', filter.service),
    ...equal('agent', filter.agent),
    ...equal('task_id', filter.taskId),
    ...equal('session_id', filter.sessionId),
    ...traceConditions(filter.traceId),
    ...compare('c.started >= ?', filter.fromMs),
    ...compare('c.started < ?', filter.toMs),
    ...compare('c.cost >= ?', filter.minCostUsd),
    ...compare('c.cost <= ?', filter.maxCostUsd),
    ...nodeConditions(filter, isRare),
    ...followerConditions('chain_findings', 'code', filter.finding, isRare),
    ...followerConditions('chain_alerts', 'type', filter.alert, isRare),
  ]
}

/** All conditions as one, to stand behind FROM; empty where there is none. */
export function toWhere(conditions: readonly SqlCondition[]): SqlCondition {
  if (conditions.length === 0) return { sql: '', values: [] }
  return {
    sql: ` WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}`,
    values: conditions.flatMap(({ values }) => values),
  }
}

function statusConditions(status: readonly string[] | undefined): readonly SqlCondition[] {
  if (status === undefined) return []
  const any = { sql: `c.status IN (${status.map(() => '?').join(', ')})`, values: status }
  // So written the index of what is not good is found, which no bound value can be seen to fit.
  return status.includes(GOOD) ? [any] : [any, { sql: `c.status <> '${GOOD}'`, values: [] }]
}

function equal(column: string, value: string | undefined): readonly SqlCondition[] {
  return value === undefined ? [] : [{ sql: `c.${column} = ?`, values: [value] }]
}

function compare(sql: string, value: number | undefined): readonly SqlCondition[] {
  return value === undefined ? [] : [{ sql, values: [value] }]
}

/** Names begin with the trace; behind it stands a hyphen, and a full stop comes next after that. */
function traceConditions(traceId: string | undefined): readonly SqlCondition[] {
  if (traceId === undefined) return []
  return [{ sql: 'c.name >= ? AND c.name < ?', values: [`${traceId}-`, `${traceId}.`] }]
}

function nodeConditions(filter: ChainFilter, isRare: IsRare): readonly SqlCondition[] {
  const { node, nodeStatus } = filter
  if (node === undefined) {
    if (nodeStatus === undefined) return []
    return [
      {
        sql: 'EXISTS (SELECT 1 FROM chain_nodes f WHERE f.chain = c.id AND f.status = ?)',
        values: [nodeStatus],
      },
    ]
  }
  const isState = nodeStatus === undefined ? '' : ' AND f.status = ?'
  const values = nodeStatus === undefined ? [node] : [node, nodeStatus]
  if (isRare('chain_nodes', 'node', node)) {
    return [{ sql: `c.id IN (SELECT f.chain FROM chain_nodes f WHERE f.node = ?${isState})`, values }]
  }
  return [
    { sql: `EXISTS (SELECT 1 FROM chain_nodes f WHERE f.chain = +c.id AND f.node = ?${isState})`, values },
  ]
}

function followerConditions(
  table: string,
  column: string,
  value: string | undefined,
  isRare: IsRare,
): readonly SqlCondition[] {
  if (value === undefined) return []
  const sql = isRare(table, column, value)
    ? `c.id IN (SELECT f.chain FROM ${table} f WHERE f.${column} = ?)`
    : `EXISTS (SELECT 1 FROM ${table} f WHERE f.chain = +c.id AND f.${column} = ?)`
  return [{ sql, values: [value] }]
}
