import { listSpans, rewriteRequest } from './rewrite-request.ts'

/**
 * Cuts a request into requests of at most about so many bytes of spans each, in their order; resource and scope are in
 * each. A span that is longer stands alone.
 *
 * @returns the same buffer where it is short enough
 */
export function splitRequest(body: Buffer, maxBytes: number): readonly Buffer[] {
  if (body.length <= maxBytes) return [body]
  const cuts = [0]
  let bytes = 0
  for (const [position, { size }] of listSpans(body).entries()) {
    if (bytes > 0 && bytes + size > maxBytes) {
      cuts.push(position)
      bytes = 0
    }
    bytes += size
  }
  if (cuts.length === 1) return [body]
  return cuts.map((from, at) => {
    const to = cuts[at + 1] ?? Infinity
    return rewriteRequest(body, () => null, { keeps: (_, position) => position >= from && position < to })
  })
}
