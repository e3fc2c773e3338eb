import type { ByStep, Chain, ChainStep } from '../../chain/chain.ts'
import { createFinding } from '../../findings/create-finding.ts'
import type { Finding } from '../../findings/finding.ts'
import { isAnswerTool } from '../../steps/is-answer-tool.ts'
import type { ChainCheck } from './chain-check.ts'
import { nearestAgents } from './nearest-agents.ts'

/**
 * Finds agents that gave their answer by a tool made for that, and had called nothing before: no tool, no retrieval,
 * no sub-agent, and had run no code. What such an answer says is the model's own word. Says nothing of an agent whose
 * other tools are not recorded, or that has none, and nothing of answers that are plain text: those may be a greeting.
 */
export const unverifiedAnswer: ChainCheck = {
  name: 'unverified-answer',
  check(chain) {
    const answers = chain.steps.filter(isAnswer)
    if (answers.length === 0) return []
    const scopes = nearestAgents(chain)
    const firstWork = findFirstWork(chain, scopes)
    return answers.flatMap((answer) => {
      const scope = scopes[answer.index]
      if (scope === undefined || scope === null) return []
      const began = firstWork.get(scope)
      const isSupported = began !== undefined && began <= answer.record.startNs
      return isSupported ? [] : toFinding(answer, scope, chain.producers[answer.index] ?? null)
    })
  },
}

function isAnswer({ record }: ChainStep): boolean {
  return record.kind === 'tool' && isAnswerTool(record.toolName ?? record.nodeName)
}

/** When each agent first called something that could support an answer, or ran code. */
function findFirstWork(chain: Chain, scopes: ByStep<ChainStep | null>): ReadonlyMap<ChainStep, bigint> {
  const answering = new Set(chain.steps.filter(isAnswer).map((step) => chain.producers[step.index]))
  const first = new Map<ChainStep, bigint>()
  for (const step of chain.steps) {
    const scope = scopes[step.index]
    if (scope === undefined || scope === null) continue
    if (!isWork(step) && !(isCode(step) && !answering.has(step))) continue
    const known = first.get(scope)
    if (known === undefined || step.record.startNs < known) first.set(scope, step.record.startNs)
  }
  return first
}

function isWork(step: ChainStep): boolean {
  const { kind } = step.record
  return kind === 'retrieval' || kind === 'agent' || (kind === 'tool' && !isAnswer(step))
}

/** A model that wrote code as its action, and code that does more than to print what it says. */
function isCode({ record }: ChainStep): boolean {
  return record.kind === 'model' && record.repeatable !== null && record.idleCode === null
}

function toFinding(answer: ChainStep, scope: ChainStep, producer: ChainStep | null): readonly Finding[] {
  const known = scope.record.tools.length > 0 ? scope.record.tools : (producer?.record.tools ?? [])
  const others = known.filter((name) => !isAnswerTool(name))
  if (others.length === 0) return []
  return [
    createFinding({
      code: 'unverified_answer',
      spanId: answer.record.spanId,
      blamedSpanId: producer?.record.spanId ?? null,
      detail: scope.record.nodeName,
      evidence: [
        { path: 'calls before the answer', expected: `one of ${others.length} other tools`, actual: 'none' },
      ],
    }),
  ]
}
