import type { LiveSpan } from './live-span.ts'

/** How a span of SDK 2.x and 3.x holds its processors; not part of its public face, so any of it may be absent. */
interface ProcessedSpan {
  readonly _spanProcessor?: object & { readonly _spanProcessors?: readonly object[] }
}

/**
 * Tells whether a span is seen by any span processor beside those of this package.
 *
 * @param isOurs true for a processor of this package
 * @returns `null` where the SDK does not let it be seen
 */
export function isSeenByOthers(span: LiveSpan, isOurs: (processor: object) => boolean): boolean | null {
  const { _spanProcessor: processor } = span as LiveSpan & ProcessedSpan
  if (processor === undefined) return null
  const processors = processor._spanProcessors ?? [processor]
  return processors.some((each) => !isOurs(each))
}
