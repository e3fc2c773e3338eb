import type { HttpAnswer, HttpRequest } from '../http/http-handler.ts'
import type { ApiServices } from './api-services.ts'
import type { JsonSchema } from './json-schema.ts'
import { type ParameterSet, readPath, readQuery, type ValuesOf } from './parameter.ts'

/** An answer that a route may give. */
export interface AnswerDescription {
  readonly status: number
  readonly description: string
  /** Schemas by media type; absent where there is no body. */
  readonly content?: Readonly<Record<string, JsonSchema>>
}

/** A request header that a route reads. */
export interface HeaderDescription {
  readonly name: string
  readonly description: string
  readonly schema: JsonSchema
}

/** What a route is: both the entry of the router and the OpenAPI document are made from it. */
export interface RouteDescription<P extends ParameterSet, Q extends ParameterSet> {
  /** With `{…}` for each path parameter. */
  readonly path: string
  readonly operationId: string
  readonly summary: string
  readonly pathParameters: P
  readonly queryParameters: Q
  readonly headers?: readonly HeaderDescription[]
  /** Beside 400 and 503, which every route has that reads parameters or the store. */
  readonly answers: readonly AnswerDescription[]
  /** Answers whatever the query says: for callers that add their own to it. */
  readonly ignoresQuery?: boolean
  readonly answer: (call: RouteCall<P, Q>) => HttpAnswer | Promise<HttpAnswer>
}

/** A call of a route. */
export interface RouteCall<P extends ParameterSet, Q extends ParameterSet> {
  readonly path: ValuesOf<P>
  readonly query: Partial<ValuesOf<Q>>
  readonly request: HttpRequest
  readonly services: ApiServices
}

/** A route with its parameters read inside. */
export interface ApiRoute extends Omit<RouteDescription<ParameterSet, ParameterSet>, 'answer'> {
  /** @throws {HttpProblem} where the request cannot be answered as it is */
  readonly handle: (request: HttpRequest, services: ApiServices) => HttpAnswer | Promise<HttpAnswer>
}

/** Creates a route of its description. */
export function defineRoute<P extends ParameterSet, Q extends ParameterSet>(
  description: RouteDescription<P, Q>,
): ApiRoute {
  const { answer, ...rest } = description
  return {
    ...rest,
    handle: (request, services) => {
      const path = readPath(request.params, description.pathParameters)
      const query = description.ignoresQuery ? {} : readQuery(request.query, description.queryParameters)
      return answer({ path, query, request, services })
    },
  }
}
