import type { Attributes } from '../steps/span-view.ts'

/** The resource of a decoded span. Spans of equal resources share one object. */
export interface DecodedResource {
  readonly attributes: Attributes
}

const MAX_RESOURCES = 256
// Together with the number above this bounds the cache to some tens of megabytes.
const MAX_KEY_CHARACTERS = 65_536

/**
 * Keeps the 256 resources used last, by their JSON text, so that thousands of requests of one process share one
 * resource object. Resources of more than 65,536 characters are not kept.
 */
export class ResourceCache {
  readonly #resources = new Map<string, DecodedResource>()

  /** The kept resource of equal JSON text, or what `decode` returns. */
  intern(json: unknown, decode: () => DecodedResource): DecodedResource {
    const key = jsonText(json)
    if (key === undefined || key.length > MAX_KEY_CHARACTERS) return decode()
    const resource = this.#resources.get(key) ?? decode()
    // Taking it out and putting it back makes the map's order the order of last use.
    this.#resources.delete(key)
    this.#resources.set(key, resource)
    if (this.#resources.size > MAX_RESOURCES) this.#dropOldest()
    return resource
  }

  #dropOldest(): void {
    for (const key of this.#resources.keys()) {
      this.#resources.delete(key)
      return
    }
  }
}

/** The JSON text, or `undefined` where the value is nested too deep for the engine to write. */
function jsonText(json: unknown): string | undefined {
  try {
    return JSON.stringify(json) ?? ''
  } catch {
    return undefined
  }
}
