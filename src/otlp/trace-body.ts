import { type ResourceParts, ScopeParts, type WirePart } from './request-parts.ts'
import { fieldBytes, WireWriter } from './wire-writer.ts'

/** Spans of one scope in a request, by the places of their content. */
export interface ScopeSegment {
  readonly scope: ScopeParts
  readonly spans: WirePart[]
}

// Numbers of fields; of a resource and its spans, and of a scope and its spans, they are the same.
const SHARED = 1
const LIST = 2
const SCHEMA_URL = 3
/** What a writer wants to have free beyond what it writes. */
const SLACK = 32

interface SizedSegment extends ScopeSegment {
  readonly size: number
}

interface ResourceGroup {
  readonly resource: ResourceParts
  readonly segments: SizedSegment[]
  size: number
}

/**
 * Puts spans together to a request of their own. What it copies are the bytes as they came.
 *
 * @param bytes - The request that the places are in.
 * @param segments - Those of one resource follow each other; each has a span.
 */
export function writeTraceBody(bytes: Buffer, segments: readonly ScopeSegment[]): Buffer {
  const groups = groupByResource(segments)
  const total = groups.reduce((sum, { size }) => sum + fieldBytes(size), 0)
  const writer = new WireWriter(total + SLACK)
  for (const group of groups) {
    writer.header(SHARED, group.size)
    for (const { start, end } of group.resource.resource) writer.slice(SHARED, bytes, start, end)
    for (const { scope, spans, size } of group.segments) {
      writer.header(LIST, size)
      for (const { start, end } of scope.scope) writer.slice(SHARED, bytes, start, end)
      for (const { start, end } of spans) writer.slice(LIST, bytes, start, end)
      writeSchemaUrl(writer, bytes, scope.schemaUrl)
    }
    writeSchemaUrl(writer, bytes, group.resource.schemaUrl)
  }
  return writer.finish()
}

/** How many bytes of resources and scopes the body has, which other traces of the request may have too. */
export function countSharedBytes(segments: readonly ScopeSegment[]): number {
  let count = 0
  let last: ResourceParts | undefined
  for (const { scope } of segments) {
    count += sizeOfShared(scope)
    if (scope.around !== last) count += sizeOfShared(scope.around)
    last = scope.around
  }
  return count
}

function groupByResource(segments: readonly ScopeSegment[]): readonly ResourceGroup[] {
  const groups: ResourceGroup[] = []
  for (const segment of segments) {
    const { scope, spans } = segment
    const size = sizeOfShared(scope) + sizeOfParts(spans)
    let group = groups.at(-1)
    if (group?.resource !== scope.around) {
      group = {
        resource: scope.around,
        segments: [],
        size: sizeOfShared(scope.around),
      }
      groups.push(group)
    }
    group.segments.push({ scope, spans, size })
    group.size += fieldBytes(size)
  }
  return groups
}

/** It is asked for each trace: a scope may have very many parts, and very many traces. */
function sizeOfShared(parts: ResourceParts | ScopeParts): number {
  if (parts.size < 0) {
    const { schemaUrl } = parts
    const urlSize = schemaUrl === undefined ? 0 : fieldBytes(schemaUrl.end - schemaUrl.start)
    parts.size = sizeOfParts(parts instanceof ScopeParts ? parts.scope : parts.resource) + urlSize
  }
  return parts.size
}

function sizeOfParts(parts: readonly WirePart[]): number {
  let size = 0
  for (const { start, end } of parts) size += fieldBytes(end - start)
  return size
}

function writeSchemaUrl(writer: WireWriter, bytes: Buffer, part: WirePart | undefined): void {
  if (part !== undefined) writer.slice(SCHEMA_URL, bytes, part.start, part.end)
}
