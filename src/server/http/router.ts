import type { IncomingHttpHeaders } from 'node:http'
import type { HttpAnswer, HttpHandler } from './http-handler.ts'
import { HttpProblem } from './http-problem.ts'

/** What is answered at a path. */
export interface HttpRoute {
  /** In upper case. A route for `GET` answers `HEAD` too. */
  readonly method: string
  /** A path; a part in braces stands for any one segment that is not empty: `/api/v1/chains/{name}`. */
  readonly path: string
  readonly handler: HttpHandler
  /** Makes the answers of problems at this path, also of those found before its handler. @default problem details */
  readonly toProblemAnswer?: (problem: HttpProblem, headers: IncomingHttpHeaders) => HttpAnswer
}

/** The routes of a path. */
export interface RouteMatch {
  readonly routes: readonly HttpRoute[]
  /** Values of the parts in braces, percent-decoded. */
  readonly params: Readonly<Record<string, string>>
}

interface PathRoutes {
  readonly segments: readonly string[]
  readonly routes: HttpRoute[]
}

const PARAMETER = /^\{(\w+)\}$/u

/** Finds the route of a request. A path that is named as it stands goes before one with parts in braces. */
export class Router {
  readonly #exact = new Map<string, PathRoutes>()
  readonly #templates = new Map<string, PathRoutes>()

  /** @throws {TypeError} where two routes are for the same method and path */
  constructor(routes: readonly HttpRoute[]) {
    for (const route of routes) this.#add(route)
  }

  /**
   * @param path as it came, percent-encoded, without the query
   * @returns nothing where no route has this path, or a part of it cannot be decoded
   */
  find(path: string): RouteMatch | undefined {
    const exact = this.#exact.get(path)
    if (exact !== undefined) return { routes: exact.routes, params: {} }
    const segments = path.split('/')
    for (const entry of this.#templates.values()) {
      const params = matchSegments(entry.segments, segments)
      if (params !== undefined) return { routes: entry.routes, params }
    }
    return undefined
  }

  #add(route: HttpRoute): void {
    const segments = route.path.split('/')
    const table = segments.some((segment) => PARAMETER.test(segment)) ? this.#templates : this.#exact
    const entry = table.get(route.path) ?? { segments, routes: [] }
    if (entry.routes.some((other) => other.method === route.method)) {
      throw new TypeError(
        `Cannot add a route: expected one per method and path, found a second ${route.method} ${route.path}`,
      )
    }
    entry.routes.push(route)
    table.set(route.path, entry)
  }
}

/**
 * Picks the route of a method.
 *
 * @throws {HttpProblem} 405 with `Allow` where the path has no such method
 */
export function selectRoute(routes: readonly HttpRoute[], method: string): HttpRoute {
  const wanted = method === 'HEAD' ? 'GET' : method
  const route = routes.find((candidate) => candidate.method === wanted)
  if (route !== undefined) return route
  const allowed = routes.flatMap((candidate) =>
    candidate.method === 'GET' ? ['GET', 'HEAD'] : [candidate.method],
  )
  throw new HttpProblem(405, `This path takes ${allowed.join(', ')} only`, {
    headers: { allow: allowed.join(', ') },
  })
}

function matchSegments(
  template: readonly string[],
  segments: readonly string[],
): Record<string, string> | undefined {
  if (template.length !== segments.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, expected] of template.entries()) {
    const found = segments[index] ?? ''
    const name = PARAMETER.exec(expected)?.[1]
    if (name === undefined) {
      if (found !== expected) return undefined
      continue
    }
    const value = decodeSegment(found)
    if (value === undefined || value === '') return undefined
    params[name] = value
  }
  return params
}

function decodeSegment(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}
