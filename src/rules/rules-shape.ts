import { findingCatalog } from '../findings/catalog.ts'

/** What may stand at one place of a rules file. */
export type Shape =
  | {
      readonly type: 'object'
      readonly keys: Readonly<Record<string, Shape>>
      readonly required?: readonly string[]
      /** Keys of the format that are refused for now. */
      readonly later?: readonly string[]
    }
  | { readonly type: 'map'; readonly values: Shape }
  | { readonly type: 'list'; readonly items: Shape }
  | {
      readonly type: 'choice'
      readonly values: readonly (string | number)[]
      readonly later?: readonly string[]
    }
  | { readonly type: 'count'; readonly least: number; readonly most?: number }
  | { readonly type: 'amount' | 'share' | 'text' | 'flag' | 'duration' | 'schema' }

const text: Shape = { type: 'text' }
const schema: Shape = { type: 'schema' }
const texts: Shape = { type: 'list', items: text }

const nodeMatch: Shape = {
  type: 'object',
  keys: {
    kind: {
      type: 'choice',
      values: 'agent model tool retrieval plan reflection guardrail evaluation workflow'.split(' '),
    },
    name: text,
    agent: text,
    model: text,
    span: text,
    attributes: { type: 'map', values: text },
  },
}

const nodeRule: Shape = {
  type: 'object',
  keys: {
    match: nodeMatch,
    result: { type: 'object', keys: { schema, not_empty: { type: 'flag' } }, later: ['contract'] },
    arguments: { type: 'object', keys: { schema }, required: ['schema'] },
    timeout: { type: 'duration' },
    retry_key: texts,
  },
  later: ['retries', 'side_effect', 'assert', 'judge', 'requires'],
}

const loopRule: Shape = {
  type: 'object',
  keys: {
    repeats: { type: 'count', least: 2 },
    stop_at: { type: 'count', least: 2 },
    window: { type: 'count', least: 2 },
    similar: { type: 'share' },
    cycles: { type: 'count', least: 1, most: 5 },
    ignore_fields: texts,
    exempt: texts,
  },
  later: ['on_stop'],
}

const budgetRule: Shape = {
  type: 'object',
  keys: {
    tokens: { type: 'count', least: 0 },
    usd: { type: 'amount' },
    model_calls: { type: 'count', least: 0 },
    tool_calls: { type: 'count', least: 0 },
    duration: { type: 'duration' },
    at_limit: { type: 'choice', values: ['warn'], later: ['stop', 'handoff'] },
  },
  later: ['tighten_at'],
}

const severities: Shape = { type: 'choice', values: ['error', 'warn', 'info', 'off'] }

/** The shape of a rules file; `rules.schema.json` says the same to editors. */
export const rulesShape: Shape = {
  type: 'object',
  keys: {
    version: { type: 'choice', values: [1] },
    nodes: { type: 'map', values: nodeRule },
    guards: { type: 'object', keys: { loop: loopRule, budget: budgetRule }, later: ['downstream'] },
    findings: {
      type: 'object',
      keys: Object.fromEntries(
        Object.keys(findingCatalog)
          // Stands in the place of an error that is told further down.
          .filter((code) => code !== 'failed_below')
          .map((code) => [code, severities]),
      ),
    },
  },
  required: ['version'],
  later: ['chain', 'redact', 'attributes'],
}
