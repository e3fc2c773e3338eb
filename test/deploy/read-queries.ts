import { parser as promqlParser } from '@prometheus-io/lezer-promql'
import { parser as traceqlParser } from '@grafana/lezer-traceql'

/** A piece of a query, as its grammar calls it. */
interface QueryNode {
  readonly type: string
  readonly text: string
  /** The types of what it is in, the nearest first. */
  readonly inside: readonly string[]
  readonly isError: boolean
}

type Grammar = Pick<typeof promqlParser, 'parse'>

function listNodes(grammar: Grammar, query: string): readonly QueryNode[] {
  const nodes: QueryNode[] = []
  const open: string[] = []
  grammar.parse(query).iterate({
    enter: ({ type, from, to }) => {
      nodes.push({
        type: type.name,
        text: query.slice(from, to),
        inside: open.toReversed(),
        isError: type.isError,
      })
      open.push(type.name)
    },
    leave: () => {
      open.pop()
    },
  })
  return nodes
}

function refuseErrors(query: string, nodes: readonly QueryNode[]): void {
  const error = nodes.find(({ isError }) => isError)
  if (error !== undefined) throw new SyntaxError(`Cannot read ${query}: error at '${error.text}'`)
}

/** The metrics of a query and the labels that it matches and groups by. */
export interface PromqlNames {
  readonly metrics: readonly string[]
  readonly labels: readonly string[]
}

/**
 * Reads PromQL, variables of Grafana in it.
 *
 * @throws {SyntaxError} where it is none
 */
export function readPromql(query: string): PromqlNames {
  const plain = query.replaceAll(/\$__(rate_interval|interval|range)\b/gu, '5m')
  const nodes = listNodes(promqlParser, plain)
  refuseErrors(plain, nodes)
  const textOf = (type: string, inside: string): readonly string[] =>
    nodes.filter((node) => node.type === type && node.inside[0] === inside).map(({ text }) => text)
  return {
    metrics: textOf('Identifier', 'VectorSelector'),
    labels: [...textOf('LabelName', 'UnquotedLabelMatcher'), ...textOf('LabelName', 'GroupingLabels')],
  }
}

/** An attribute that a query names, and what it is compared with. */
export interface TraceqlAttribute {
  readonly scope: string
  readonly key: string
  /** Texts; of a regular expression the alternatives. */
  readonly values: readonly string[]
}

/**
 * Reads TraceQL.
 *
 * @throws {SyntaxError} where it is none
 */
export function readTraceql(query: string): readonly TraceqlAttribute[] {
  const nodes = listNodes(traceqlParser, query)
  refuseErrors(query, nodes)
  const comparisons = Array.from(
    query.matchAll(/([\w.]+) (?:=~|!~|=|!=) "([^"]*)"/gu),
    ([, field = '', values = '']) => [field, values.split('|')] as const,
  )
  return nodes
    .filter(({ type }) => type === 'AttributeField')
    .map(({ text }) => {
      const [scope = '', ...key] = text.split('.')
      const values = comparisons.flatMap(([field, found]) => (field === text ? found : []))
      return { scope, key: key.join('.'), values }
    })
}
