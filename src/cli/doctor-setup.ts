import { type DoctorCheck, SETUP_PAGE } from './doctor-check.ts'
import { checkNode, findMisfit } from './doctor-installed.ts'
import { API_PACKAGE, findOwners, type FoundPackage, readVersion } from './doctor-packages.ts'
import {
  type ProbedProcessor,
  type ProbedSpan,
  type ProbeFacts,
  PROVIDER_WAIT_MILLIS,
} from './doctor-probe.ts'

const OUR_EXPORTER = 'ChainReportExporter'
const OUR_PACKAGE = 'agent-reach'

/**
 * What the facts of a probe say about the set-up of a program.
 *
 * @param nodeVersion such as `20.19.0`
 */
export function checkSetup(facts: ProbeFacts, nodeVersion: string): readonly DoctorCheck[] {
  const loaded = findOwners(facts.loadedFolders)
  const sdkVersions = listVersions(loaded, /^@opentelemetry\/sdk-trace(?:-base)?$/u)
  const { span } = facts
  return [
    checkNode(nodeVersion, sdkVersions),
    checkProvider(facts, sdkVersions),
    ...sdkVersions
      .map((version) => findMisfit({ name: 'SDK', version }, facts.apiVersion))
      .filter((misfit) => misfit !== null),
    ...checkError(facts),
    ...(span === null
      ? []
      : [checkSampler(span), ...checkProcessors(span, sdkVersions), checkContext(facts)]),
    checkCopies(loaded),
  ]
}

function checkProvider(facts: ProbeFacts, sdkVersions: readonly string[]): DoctorCheck {
  const { provider, apiVersion, isShared } = facts
  if (provider === null) return failProvider(NO_PROVIDER)
  if (isShared === false) {
    return failProvider(
      `a tracer provider is registered with ${API_PACKAGE} ${apiVersion}, but a program in this folder has a version ` +
        `that does not see it, so none of its spans is recorded: keep one version, see npm ls ${API_PACKAGE}`,
    )
  }
  // Bundlers number the names of classes that they move.
  const name = provider.replace(/\$\d+$/u, '')
  const sdk = sdkVersions.length === 0 ? '' : `SDK ${sdkVersions.join(' and ')}, `
  return {
    check: 'provider',
    status: 'ok',
    text: `a tracer provider is registered: ${name} (${sdk}api ${apiVersion})`,
  }
}

const NO_PROVIDER =
  `no tracer provider is registered ${PROVIDER_WAIT_MILLIS / 1000} s after the set-up was loaded: start the SDK in ` +
  `it, and do not set OTEL_SDK_DISABLED, see ${SETUP_PAGE}`

function failProvider(text: string): DoctorCheck {
  return { check: 'provider', status: 'fail', text }
}

function checkError({ error }: ProbeFacts): readonly DoctorCheck[] {
  if (error === null) return []
  const text = `a span processor or exporter throws into the program when a span starts or ends: ${error}`
  return [failProvider(text)]
}

function checkSampler({ isRecording, isSampled, sampler }: ProbedSpan): DoctorCheck {
  const by = sampler === null ? 'the sampler' : `the sampler (${sampler})`
  if (isRecording && isSampled)
    return { check: 'sampler', status: 'ok', text: 'spans are recorded and sampled' }
  if (isRecording) {
    const text = `${by} has the span recorded but not sampled: it is judged, but exporters pass it over`
    return { check: 'sampler', status: 'warn', text }
  }
  const isOff = sampler !== null && /^(?:ParentBased\{root=)?AlwaysOff/u.test(sampler)
  return {
    check: 'sampler',
    status: isOff ? 'fail' : 'warn',
    text: `${by} drops the span: what is not recorded is neither judged nor exported; see OTEL_TRACES_SAMPLER`,
  }
}

function checkProcessors(
  { processors, hasOnEnding }: ProbedSpan,
  sdkVersions: readonly string[],
): readonly DoctorCheck[] {
  if (processors === null) {
    const text = `this provider does not show its span processors: make sure that AgentReachProcessor is one of them`
    return [{ check: 'processor', status: 'warn', text }]
  }
  const isOld = sdkVersions.length > 0 && sdkVersions.every((version) => readVersion(version)[0] < 3)
  return [
    checkOurs(processors),
    checkExport(processors, isOld ? '<your exporter>' : '{ exporter: <your exporter> }'),
    ...checkMarks(processors, hasOnEnding),
  ]
}

function checkOurs(processors: readonly ProbedProcessor[]): DoctorCheck {
  const names = processors.map(describeProcessor).join(', ') || 'none'
  const isThere = processors.some(({ isOurs, exporters }) => isOurs || exporters.includes(OUR_EXPORTER))
  if (isThere) return { check: 'processor', status: 'ok', text: `agent-reach is registered: ${names}` }
  const text =
    `AgentReachProcessor is not among the span processors (${names}): add new AgentReachProcessor() to ` +
    `spanProcessors, see ${SETUP_PAGE}`
  return { check: 'processor', status: 'fail', text }
}

function describeProcessor({ name, exporters }: ProbedProcessor): string {
  return exporters.length === 0 ? name : `${name} (${exporters.join(', ')})`
}

/** @param argument what `BatchSpanProcessor` takes in the SDK of the program */
function checkExport(processors: readonly ProbedProcessor[], argument: string): DoctorCheck {
  const exporters = processors.flatMap((each) => each.exporters).filter((name) => name !== OUR_EXPORTER)
  if (exporters.length > 0) {
    return { check: 'export', status: 'ok', text: `spans are exported by ${exporters.join(', ')}` }
  }
  const unknown = processors.filter(
    ({ name, isOurs, exporters: own }) => !isOurs && own.length === 0 && name !== 'NoopSpanProcessor',
  )
  if (unknown.length > 0) {
    const names = unknown.map(({ name }) => name).join(', ')
    return {
      check: 'export',
      status: 'warn',
      text: `no exporter can be seen in ${names}: make sure there is one`,
    }
  }
  const text =
    'spans are exported nowhere: NodeSDK ignores traceExporter and OTEL_TRACES_EXPORTER when spanProcessors is given. ' +
    `Add new BatchSpanProcessor(${argument}) to spanProcessors, see ${SETUP_PAGE}`
  return { check: 'export', status: 'fail', text }
}

function checkMarks(processors: readonly ProbedProcessor[], hasOnEnding: boolean): readonly DoctorCheck[] {
  const at = processors.findIndex(({ isOurs }) => isOurs)
  if (at === -1) return []
  if (hasOnEnding || at === 0) {
    return [{ check: 'marks', status: 'ok', text: 'marks are written before the span is exported' }]
  }
  const text =
    'this SDK has no onEnding, so exporters before AgentReachProcessor may miss its marks: update to SDK 2.3 or ' +
    'later, or put AgentReachProcessor first'
  return [{ check: 'marks', status: 'warn', text }]
}

function checkContext({ hasContextManager }: ProbeFacts): DoctorCheck {
  if (hasContextManager) return { check: 'context', status: 'ok', text: 'a context manager is registered' }
  const text =
    'no context manager is registered, so no span finds its parent and each is a run of its own: call ' +
    'context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable()), or register() in SDK 2.x'
  return { check: 'context', status: 'warn', text }
}

/** Copies of one version share what is global; those of several may not see each other. */
function checkCopies(loaded: readonly FoundPackage[]): DoctorCheck {
  const sets = [API_PACKAGE, OUR_PACKAGE].map((name) => loaded.filter((each) => each.name === name))
  const mixed = sets.filter((copies) => listVersions(copies).length > 1)
  if (mixed.length > 0) {
    const places = mixed.flat().map(({ name, version, folder }) => `${name} ${version} in ${folder}`)
    return {
      check: 'copies',
      status: 'warn',
      text: `several versions are loaded, keep one: ${places.join(', ')}`,
    }
  }
  const found = sets.flatMap(([one]) => (one === undefined ? [] : [`${one.name} ${one.version}`]))
  return { check: 'copies', status: 'ok', text: `loaded in one version: ${found.join(', ')}` }
}

/** The versions of packages whose names match, each once. */
function listVersions(packages: readonly FoundPackage[], name: RegExp = /./u): readonly string[] {
  const versions = packages.filter((each) => name.test(each.name)).map(({ version }) => version)
  return [...new Set(versions)].toSorted()
}
