import type { RulesPath } from './find-shape-problems.ts'
import { defaultLoopThresholds } from './loop-thresholds.ts'
import { readDuration } from './read-duration.ts'
import { readSchema, type SchemaFolder } from './read-schema.ts'
import type {
  BudgetKind,
  BudgetLimits,
  LoopRules,
  NodeRules,
  PlacedSchema,
  Rules,
  RulesPlace,
} from './rules.ts'
import { RulesError, type RulesProblem } from './rules-error.ts'
import type { BudgetRule, LoopRule, NodeRule, RulesFile, RuleSchema } from './rules-file.ts'
import { isStandardSchema } from './standard-schema.ts'

/** What is known of rules beside what they say. */
export interface RulesOrigin extends SchemaFolder {
  readonly placeOf: (path: RulesPath) => RulesPlace
}

/**
 * Fills in the defaults and reads the schemas.
 *
 * @param file of the right shape
 * @throws {RulesError} where parts of it do not go together, or a schema cannot be used: with every problem
 */
export function toRules(file: RulesFile, origin: RulesOrigin): Rules {
  const reader = new Reader(origin)
  const { nodes = {}, guards = {}, findings = {} } = file
  const rules = {
    // By name, so that the order of the file does not show in what is told.
    nodes: Object.entries(nodes)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, rule]) => reader.readNode(name, rule)),
    loop: reader.readLoop(guards.loop ?? {}),
    budget: readBudget(guards.budget ?? {}),
    severities: findings,
  }
  const problems = reader.problems.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0))
  if (problems.length > 0) throw new RulesError(problems)
  return rules
}

class Reader {
  readonly problems: RulesProblem[] = []
  readonly #origin: RulesOrigin

  constructor(origin: RulesOrigin) {
    this.#origin = origin
  }

  readNode(name: string, rule: NodeRule): NodeRules {
    const { match, result = {}, timeout, retry_key: retryKey = [] } = rule
    const path = ['nodes', name]
    if (match !== undefined && Object.keys(match).length === 0) {
      this.#refuse([...path, 'match'], 'at least one key', 'none')
    }
    return {
      name,
      match: match ?? null,
      resultSchema: this.#readSchema(result.schema, [...path, 'result', 'schema']),
      notEmpty: result.not_empty ?? false,
      argumentsSchema: this.#readSchema(rule.arguments?.schema, [...path, 'arguments', 'schema']),
      timeoutMs: timeout === undefined ? null : readDuration(timeout),
      retryKey,
    }
  }

  /** A default makes room for what is given, so that one number can be raised alone. */
  readLoop(rule: LoopRule): LoopRules {
    const { exempt = [], ignore_fields: ignoreFields = [] } = rule
    const { repeats, similar, cycles } = { ...defaultLoopThresholds, ...rule }
    const stopAt = rule.stop_at ?? Math.max(repeats, defaultLoopThresholds.stopAt)
    const window = rule.window ?? Math.max(stopAt, defaultLoopThresholds.window)
    const path = ['guards', 'loop']
    if (stopAt < repeats)
      this.#refuse([...path, 'stop_at'], `at least as many as repeats (${repeats})`, stopAt)
    if (window < stopAt) this.#refuse([...path, 'window'], `at least as many as stop_at (${stopAt})`, window)
    return {
      repeats,
      stopAt,
      window,
      similar: similar === 'off' ? null : similar,
      cycles,
      exempt,
      ignoreFields,
    }
  }

  #readSchema(schema: RuleSchema | undefined, path: RulesPath): PlacedSchema | null {
    if (schema === undefined) return null
    const place = this.#origin.placeOf(path)
    if (isStandardSchema(schema)) return { schema, place }
    try {
      return readSchema(schema, place, this.#origin)
    } catch (error) {
      if (!(error instanceof RulesError)) throw error
      this.problems.push(...error.problems)
      return null
    }
  }

  #refuse(path: RulesPath, expected: string, found: string | number): void {
    this.problems.push({ ...this.#origin.placeOf(path), expected, found: String(found) })
  }
}

function readBudget({ duration, ...rule }: BudgetRule): BudgetLimits {
  const limits: { -readonly [Kind in BudgetKind]?: number } = {}
  for (const kind of ['tokens', 'usd', 'model_calls', 'tool_calls'] as const) {
    const limit = rule[kind]
    if (limit !== undefined) limits[kind] = limit
  }
  const durationMs = duration === undefined ? null : readDuration(duration)
  if (durationMs !== null) limits.duration = durationMs
  return limits
}
