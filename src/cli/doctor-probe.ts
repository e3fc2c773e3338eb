/** What the probe saw in the program's process. */
export interface ProbeFacts {
  /** The version of `@opentelemetry/api` that made the global everything is registered in; `null` without one. */
  readonly apiVersion: string | null
  /** Whether the working directory's own api sees what is registered; `null` where it has none. */
  readonly isShared: boolean | null
  /** The class of the registered tracer provider; `null` without one. */
  readonly provider: string | null
  readonly hasContextManager: boolean
  /** `null` without a provider. */
  readonly span: ProbedSpan | null
  /** What starting or ending the span has thrown. */
  readonly error: string | null
  /** The folders of all code that is loaded, absolute. */
  readonly loadedFolders: readonly string[]
}

/** What the span of the probe shows. */
export interface ProbedSpan {
  readonly isRecording: boolean
  readonly isSampled: boolean
  /** How the sampler describes itself, where it can be seen. */
  readonly sampler: string | null
  /** Whether processors may still write on a span that is about to end (SDK 2.3 and later). */
  readonly hasOnEnding: boolean
  /** In the order of their registration; `null` where the provider does not let them be seen. */
  readonly processors: readonly ProbedProcessor[] | null
}

/** A span processor, and what is found inside it. */
export interface ProbedProcessor {
  readonly name: string
  /** Whether it is, or holds, a processor of this package. */
  readonly isOurs: boolean
  /** The classes of the exporters that it holds, as far as they can be seen. */
  readonly exporters: readonly string[]
}

/** The message that the probe sends to the process that started it. */
export interface ProbeMessage {
  readonly agentReachDoctor: ProbeFacts
}

/** How long the probe waits for a tracer provider to be registered. */
export const PROVIDER_WAIT_MILLIS = 2000

/** The program of the probe, to be given to `node --eval` behind a set-up that was loaded before. */
export function createProbeProgram(): string {
  const functions = [nameOf, collectParts, viewProcessors, makeSpan, isSeenByOwnApi, listFolders, findGlobal]
  return [...functions, sendFacts]
    .map(String)
    .join('\n')
    .concat(`\n${sendFacts.name}(${PROVIDER_WAIT_MILLIS})`)
}

// Everything below runs in another process, as text: it may use nothing but itself and what Node has.

type Part = object & Readonly<Record<string, unknown>>

interface FoundParts {
  readonly seen: Set<object>
  readonly exporters: string[]
  isOurs: boolean
}

interface TracerProvider {
  getTracer(name: string): Tracer
  getDelegate?(): TracerProvider
  readonly _activeSpanProcessor?: Part
}

interface Tracer {
  startSpan(name: string): LiveSpan
  readonly _sampler?: { toString(): string }
  readonly _spanProcessor?: Part
}

interface LiveSpan {
  isRecording(): boolean
  spanContext(): { readonly traceFlags: number }
  end(): void
  readonly _spanProcessor?: Part
}

interface ApiGlobal {
  readonly version: string
  readonly trace?: TracerProvider
  readonly context?: object
}

function nameOf(value: object): string {
  return value.constructor?.name || 'Object'
}

/** Looks for exporters and processors of this package in a processor, and in those that it holds. */
function collectParts(value: unknown, found: FoundParts): void {
  if (typeof value !== 'object' || value === null || found.seen.has(value)) return
  found.seen.add(value)
  const part = value as Part
  const isProcessor = typeof part['onStart'] === 'function' && typeof part['onEnd'] === 'function'
  if (Symbol.for('agent-reach span processor') in part) found.isOurs = true
  else if (Array.isArray(part) || isProcessor) {
    for (const inner of Object.values(part)) collectParts(inner, found)
  } else if (typeof part['export'] === 'function') found.exporters.push(nameOf(part))
}

function viewProcessors(root: Part | undefined): ProbedProcessor[] | null {
  if (root === undefined) return null
  const processors = (root['_spanProcessors'] ?? [root]) as readonly Part[]
  return processors.map((processor) => {
    const found: FoundParts = { seen: new Set(), exporters: [], isOurs: false }
    collectParts(processor, found)
    return { name: nameOf(processor), isOurs: found.isOurs, exporters: found.exporters }
  })
}

/** Ends the span last: what throws there must not hide what was seen. */
function makeSpan(provider: TracerProvider, tell: (span: ProbedSpan) => void): void {
  const tracer = provider.getTracer('agent-reach doctor')
  const span = tracer.startSpan('agent-reach doctor')
  const root = span._spanProcessor ?? tracer._spanProcessor ?? provider._activeSpanProcessor
  tell({
    isRecording: span.isRecording(),
    isSampled: (span.spanContext().traceFlags & 1) === 1,
    sampler: tracer._sampler === undefined ? null : String(tracer._sampler),
    hasOnEnding: typeof root?.['onEnding'] === 'function',
    processors: viewProcessors(root),
  })
  span.end()
}

function isSeenByOwnApi(provider: TracerProvider): boolean | null {
  const { createRequire } = process.getBuiltinModule('node:module')
  try {
    const load = createRequire(`${process.cwd()}/program.js`)
    const api = load('@opentelemetry/api') as { trace: { getTracerProvider(): unknown } }
    return api.trace.getTracerProvider() === provider
  } catch {
    return null
  }
}

/** The debugger of this very process knows all code, whether it was imported or required. */
function listFolders(): string[] {
  const { Session } = process.getBuiltinModule('node:inspector')
  const { fileURLToPath } = process.getBuiltinModule('node:url')
  const folders = new Set<string>()
  const session = new Session()
  session.connect()
  session.on('Debugger.scriptParsed', ({ params: { url } }) => {
    if (url.startsWith('file:')) folders.add(fileURLToPath(new URL('.', url)))
  })
  session.post('Debugger.enable')
  session.disconnect()
  return [...folders]
}

function findGlobal(): ApiGlobal | undefined {
  return (globalThis as unknown as Record<symbol, ApiGlobal | undefined>)[
    Symbol.for('opentelemetry.js.api.1')
  ]
}

async function sendFacts(waitMillis: number): Promise<void> {
  const deadline = Date.now() + waitMillis
  while (findGlobal()?.trace === undefined && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const found = findGlobal()
  const registered = found?.trace ?? null
  const provider = registered?.getDelegate?.() ?? registered
  const loadedFolders = listFolders()
  let span: ProbedSpan | null = null
  let error: string | null = null
  try {
    if (provider !== null) makeSpan(provider, (seen) => (span = seen))
  } catch (thrown) {
    error = String(thrown)
  }
  const facts: ProbeFacts = {
    apiVersion: found?.version ?? null,
    isShared: registered === null ? null : isSeenByOwnApi(registered),
    provider: provider === null ? null : nameOf(provider),
    hasContextManager: found?.context !== undefined,
    span,
    error,
    loadedFolders,
  }
  // Ending at once keeps a batch with the span from being sent, and a set-up from keeping the process.
  process.send?.({ agentReachDoctor: facts } satisfies ProbeMessage, () => process.exit(0))
}
