import { canonicalJson, compareCodeUnits } from '../../steps/canonical-json.ts'

/** A document of traces in OTLP/JSON. */
export interface TraceDocument {
  readonly resourceSpans: readonly ResourceSpansJson[]
}

interface ResourceSpansJson {
  readonly resource?: object
  readonly schemaUrl?: string
  readonly scopeSpans?: readonly ScopeSpansJson[]
}

interface ScopeSpansJson {
  readonly scope?: object
  readonly schemaUrl?: string
  /** `null` stands for a span that is damaged. */
  readonly spans?: readonly (SpanJson | null)[]
}

interface SpanJson {
  readonly spanId?: string
  readonly endTimeUnixNano?: string
  readonly attributes?: readonly unknown[]
}

interface Placed {
  readonly span: SpanJson
  readonly resource: Omit<ResourceSpansJson, 'scopeSpans'>
  readonly scope: Omit<ScopeSpansJson, 'spans'>
}

/**
 * Merges documents of one trace into one in which each span is once, below one entry for each resource and scope. Of
 * two copies the one stays that the fold would choose: with the later end, then with more attributes, then with the
 * greater canonical bytes.
 *
 * @param documents as `decodeMessage` gives them
 */
export function mergeSpans(documents: readonly object[]): TraceDocument {
  const bySpanId = new Map<string, Placed>()
  for (const placed of documents.flatMap(listSpans)) {
    const { spanId = '' } = placed.span
    const known = bySpanId.get(spanId)
    if (known === undefined || compareCopies(placed.span, known.span) > 0) bySpanId.set(spanId, placed)
  }
  return groupSpans([...bySpanId.values()])
}

function listSpans(document: object): readonly Placed[] {
  const { resourceSpans = [] } = document as Partial<TraceDocument>
  return resourceSpans.flatMap(({ scopeSpans = [], ...resource }) =>
    scopeSpans.flatMap(({ spans = [], ...scope }) =>
      spans.flatMap((span) => (span === null ? [] : [{ span, resource, scope }])),
    ),
  )
}

function compareCopies(a: SpanJson, b: SpanJson): number {
  const ends = BigInt(a.endTimeUnixNano ?? 0) - BigInt(b.endTimeUnixNano ?? 0)
  if (ends !== 0n) return ends > 0n ? 1 : -1
  const attributes = (a.attributes?.length ?? 0) - (b.attributes?.length ?? 0)
  return attributes !== 0 ? attributes : compareCodeUnits(canonicalJson(a), canonicalJson(b))
}

interface ResourceGroup {
  readonly resource: Placed['resource']
  readonly scopes: Map<string, { readonly scope: Placed['scope']; readonly spans: SpanJson[] }>
}

function groupSpans(placed: readonly Placed[]): TraceDocument {
  const groups = new Map<string, ResourceGroup>()
  const keyOf = createKeys()
  for (const { span, resource, scope } of placed) {
    const group = getOrAdd(groups, keyOf(resource), () => ({ resource, scopes: new Map() }))
    getOrAdd(group.scopes, keyOf(scope), () => ({ scope, spans: [] })).spans.push(span)
  }
  return {
    resourceSpans: Array.from(groups.values(), ({ resource, scopes }) => ({
      ...resource,
      scopeSpans: Array.from(scopes.values(), ({ scope, spans }) => ({ ...scope, spans })),
    })),
  }
}

/** The key of a resource or scope is made once for all spans that share the object. */
function createKeys(): (value: object) => string {
  const known = new WeakMap<object, string>()
  return (value) => {
    const key = known.get(value) ?? canonicalJson(value)
    known.set(value, key)
    return key
  }
}

function getOrAdd<T>(map: Map<string, T>, key: string, create: () => T): T {
  const known = map.get(key)
  if (known !== undefined) return known
  const created = create()
  map.set(key, created)
  return created
}
