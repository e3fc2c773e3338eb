import type { HttpAnswer } from '../http/http-handler.ts'
import { HttpProblem } from '../http/http-problem.ts'
import type { AnswerDescription } from './api-route.ts'
import { type JsonSchema, schemaRef } from './json-schema.ts'

/** Answers are asked for again, not kept: whether they are still right only the store knows. */
const REVALIDATED = { 'cache-control': 'no-cache' }

/** Answers a value as JSON. */
export function toJsonAnswer(value: unknown, headers: Readonly<Record<string, string>> = {}): HttpAnswer {
  return {
    status: 200,
    headers: { 'content-type': 'application/json', ...REVALIDATED, ...headers },
    body: JSON.stringify(value),
  }
}

/** Describes the answer of a route that succeeds. */
export function describeJson(description: string, schema: JsonSchema): AnswerDescription {
  return { status: 200, description, content: { 'application/json': schema } }
}

/** Describes an answer that is a problem. */
export function describeProblem(status: number, description: string): AnswerDescription {
  return { status, description, content: { 'application/problem+json': schemaRef('Problem') } }
}

/** Nothing is stored under the name that was asked for. */
export function refuseMissing(what: string): HttpProblem {
  return new HttpProblem(404, `${what} is not stored`)
}
