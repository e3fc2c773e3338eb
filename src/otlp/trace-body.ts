import { type ResourceParts, ScopeParts, type WirePart } from './request-parts.ts'
import { fieldBytes, WireWriter } from './wire-writer.ts'

/** Spans of one scope in a request, by the places of their fields, of which several may be in one part. */
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
const NOTHING = Buffer.alloc(0)

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
  const groups = groupByResource(bytes, segments)
  const total = groups.reduce((sum, { size }) => sum + fieldBytes(size), 0)
  const writer = new WireWriter(total + SLACK)
  for (const group of groups) {
    writer.header(SHARED, group.size)
    writer.raw(sharedOf(bytes, group.resource))
    for (const { scope, spans, size } of group.segments) {
      writer.header(LIST, size)
      writer.raw(sharedOf(bytes, scope))
      for (const { start, end } of spans) writer.copy(bytes, start, end)
    }
  }
  return writer.finish()
}

/** How many bytes of resources and scopes the body has, which other traces of the request may have too. */
export function countSharedBytes(bytes: Buffer, segments: readonly ScopeSegment[]): number {
  let count = 0
  let last: ResourceParts | undefined
  for (const { scope } of segments) {
    count += sharedOf(bytes, scope).length
    if (scope.around !== last) count += sharedOf(bytes, scope.around).length
    last = scope.around
  }
  return count
}

function groupByResource(bytes: Buffer, segments: readonly ScopeSegment[]): readonly ResourceGroup[] {
  const groups: ResourceGroup[] = []
  for (const { scope, spans } of segments) {
    let size = sharedOf(bytes, scope).length
    for (const { start, end } of spans) size += end - start
    let group = groups.at(-1)
    if (group?.resource !== scope.around) {
      group = { resource: scope.around, segments: [], size: sharedOf(bytes, scope.around).length }
      groups.push(group)
    }
    group.segments.push({ scope, spans, size })
    group.size += fieldBytes(size)
  }
  return groups
}

/** Put together once: there may be very many parts, and very many traces. */
function sharedOf(bytes: Buffer, parts: ResourceParts | ScopeParts): Buffer {
  parts.shared ??= writeShared(bytes, parts)
  return parts.shared
}

function writeShared(bytes: Buffer, parts: ResourceParts | ScopeParts): Buffer {
  const { schemaUrl } = parts
  const list = parts instanceof ScopeParts ? parts.scope : parts.resource
  if (list.length === 0 && schemaUrl === undefined) return NOTHING
  const writer = new WireWriter(
    sizeOfParts(list) + (schemaUrl === undefined ? 0 : sizeOfParts([schemaUrl])) + SLACK,
  )
  for (const { start, end } of list) writer.slice(SHARED, bytes, start, end)
  if (schemaUrl !== undefined) writer.slice(SCHEMA_URL, bytes, schemaUrl.start, schemaUrl.end)
  return writer.finish()
}

function sizeOfParts(parts: readonly WirePart[]): number {
  let size = 0
  for (const { start, end } of parts) size += fieldBytes(end - start)
  return size
}
