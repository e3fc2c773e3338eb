import type { Context } from '@opentelemetry/api'
import type { Phase } from '../steps/step.ts'

/** What the code of an agent knows of its run; the processor stamps it on every span that is started below. */
export interface ChainContext {
  /** Names the chain: runs that share a trace are told apart by it. */
  readonly chainId?: string
  /** The caller's own id of the task; stamped on the first span below. */
  readonly taskId?: string
  readonly phase?: Phase
  readonly subtaskId?: string
}

/** `createContextKey` of the OpenTelemetry API is `Symbol.for`, so that two copies of this package share the key. */
const KEY = Symbol.for('agent-reach chain context')

/**
 * Gives a context in which spans are stamped with `fields`, beside what `context` says already. Run code in it with
 * `context.with()` of the OpenTelemetry API.
 */
export function setChainContext(context: Context, fields: ChainContext): Context {
  return context.setValue(KEY, { ...getChainContext(context), ...fields })
}

/** What the spans below a context are stamped with; `undefined` where nothing was set. */
export function getChainContext(context: Context): ChainContext | undefined {
  return context.getValue(KEY) as ChainContext | undefined
}
