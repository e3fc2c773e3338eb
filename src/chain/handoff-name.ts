import type { ChainStep } from './chain.ts'

/** What frameworks call the tool that hands a run over to another agent, and the span that follows. */
const ASKED = /^(?:transfer|handoff|hand_off)_to_(?=.)/iu
const RUN = /^(?:transfer_to_|handoff to )(?=.)/iu

/** What the agent is called that a tool call hands over to, free of its spelling; `null` for other calls. */
export function toHandoffTarget(callName: string): string | null {
  return ASKED.test(callName) ? spell(callName.replace(ASKED, '')) : null
}

/** What the agent is called that a handoff leads to, or that runs, free of its spelling; `null` for other steps. */
export function toHandoffRun(step: ChainStep): string | null {
  const { kind, agentName, nodeName } = step.record
  if (kind === 'agent') return spell(agentName ?? nodeName)
  return isHandoff(step) ? spell(toCalledName(step).replace(RUN, '')) : null
}

/** True for a tool step with a name that a handoff is given where the one that the model called is not recorded. */
export function isHandoff(step: ChainStep): boolean {
  return step.record.kind === 'tool' && RUN.test(toCalledName(step))
}

/** What a step is called as a tool. */
export function toCalledName({ record }: ChainStep): string {
  return record.toolName ?? record.nodeName
}

/** Frameworks put a low line for what a function name may not have; some of them write it small as well. */
function spell(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}]/gu, '_').toLowerCase()
}
