import { condenseStep } from '../chain/condense-step.ts'
import type { StepRecord } from '../chain/step-record.ts'
import { ruleChecks, stepChecks } from '../checks/step/catalog.ts'
import { mergeFindings } from '../checks/step/merge-findings.ts'
import type { Finding } from '../findings/finding.ts'
import { applySeverities } from '../rules/apply-severities.ts'
import { matchesNode } from '../rules/match-node.ts'
import { defaultRules, type NodeRules, type Rules } from '../rules/rules.ts'
import { outputKeys } from '../semconv/agent-reach.ts'
import { type CapturedContent, withCaptured } from '../steps/captured-content.ts'
import { readStep } from '../steps/read-step.ts'
import type { SpanView } from '../steps/span-view.ts'
import { isAgentStep, type Step } from '../steps/step.ts'

/** A span as its chain keeps it. */
export interface JudgedSpan {
  readonly record: StepRecord
  /** How many step checks threw: defects of ours, counted and never passed on. */
  readonly checkErrors: number
  /** Content was judged that the span does not record. */
  readonly captured: boolean
}

/** What only the process that records a span knows of it. */
export interface LiveFacts {
  /** Stands where the span does not carry a number of its own. */
  readonly sequence: number
  /** Content that the program handed over beside the span. */
  readonly captured: CapturedContent | null
}

/**
 * Reads a finished span, runs the step checks over it and condenses both into the record that its chain keeps. The
 * content of the span is not held on to.
 */
export function judgeSpan(span: SpanView, rules: Rules = defaultRules, live?: LiveFacts): JudgedSpan {
  const read = readStep(span)
  if (!isAgentStep(read)) return { record: condenseStep(read, NONE), checkErrors: 0, captured: false }
  const step = live === undefined ? read : complete(read, live)
  const captured = step !== read
  const nodes = findNodes(step, span, rules)
  const found = runChecks(step, nodes)
  const record = condenseStep(
    step,
    found.findings,
    nodes.length === 0 ? NONE : nodes.flatMap(({ retryKey }) => retryKey),
    rules.loop.ignoreFields,
  )
  if (record.findings.length > 0) {
    // The record was made for this call. The spread of so many fields makes an object that is dear to read.
    const own: { findings: readonly Finding[] } = record
    own.findings = record.findings.flatMap((finding) => applySeverities(finding, rules.severities) ?? [])
  }
  return { record, checkErrors: found.errors, captured }
}

const NONE: readonly never[] = []

interface Found {
  readonly findings: readonly Finding[]
  /** How many checks threw. */
  readonly errors: number
}

function runChecks(step: Step, nodes: readonly NodeRules[]): Found {
  const builtIn: Finding[] = []
  const byRules: Finding[] = []
  let errors = 0
  // No function around each check: it would be made and called ten times for each span.
  for (const check of stepChecks) {
    try {
      addAll(builtIn, check.check(step))
    } catch {
      errors++
    }
  }
  for (const node of nodes) {
    for (const check of ruleChecks) {
      try {
        addAll(byRules, check.check(step, node))
      } catch {
        errors++
      }
    }
  }
  return { findings: byRules.length === 0 ? builtIn : mergeFindings(builtIn, byRules), errors }
}

/** Nearly all checks find nothing. */
function addAll(findings: Finding[], found: readonly Finding[]): void {
  for (const finding of found) findings.push(finding)
}

function complete(step: Step, { sequence, captured }: LiveFacts): Step {
  // The step was made for this call; a copy of it would be made of every span.
  const own: { sequence: number | null } = step
  own.sequence ??= sequence
  return captured === null ? step : withCaptured(step, captured)
}

/** What the rules ask of a step. Of one that was not run nothing can be asked, and our own marks are no evidence. */
function findNodes(step: Step, span: SpanView, { nodes }: Rules): readonly NodeRules[] {
  if (nodes.length === 0 || step.skippedReason !== null) return []
  const readAttribute = (key: string): unknown =>
    outputKeys.includes(key) || !Object.hasOwn(span.attributes, key) ? undefined : span.attributes[key]
  return nodes.filter((node) => matchesNode(node, step, readAttribute))
}
