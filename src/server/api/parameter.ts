import { HttpProblem } from '../http/http-problem.ts'
import type { JsonSchema } from './json-schema.ts'

/** A parameter of a route: what the OpenAPI document says of it, and how it is read. */
export interface Parameter<T> {
  readonly description: string
  /** Schema of one value. */
  readonly schema: JsonSchema
  /** What a value has to be, as messages say it. */
  readonly expected: string
  /** May be given several times. */
  readonly isList: boolean
  /** @returns `null` where it is not what is expected */
  read(texts: readonly string[]): T | null
}

/** What a parameter is made of. */
export interface ParameterDescription<T> {
  readonly description: string
  readonly schema: JsonSchema
  readonly expected: string
  /** Reads one value; `null` where it is not what is expected. */
  readonly read: (text: string) => T | null
}

/** Parameters by their names in the address. */
export type ParameterSet = Readonly<Record<string, Parameter<unknown>>>

/** What was read of a set of parameters. */
export type ValuesOf<P extends ParameterSet> = {
  readonly [Name in keyof P]: P[Name] extends Parameter<infer T> ? T : never
}

/** Creates a parameter that is given once. */
export function createParameter<T>(description: ParameterDescription<T>): Parameter<T> {
  return { ...description, isList: false, read: ([text = '']) => description.read(text) }
}

/** Creates a parameter that may be given several times. */
export function createListParameter<T>(description: ParameterDescription<T>): Parameter<readonly T[]> {
  return {
    ...description,
    isList: true,
    read: (texts) => {
      const values = texts.map(description.read)
      return values.includes(null) ? null : (values as readonly T[])
    },
  }
}

/**
 * Reads the query of a request.
 *
 * @throws {HttpProblem} 400 where a parameter is unknown, malformed, or given twice
 */
export function readQuery<Q extends ParameterSet>(query: URLSearchParams, known: Q): Partial<ValuesOf<Q>> {
  const values: [string, unknown][] = []
  for (const name of new Set(query.keys())) {
    const parameter = Object.hasOwn(known, name) ? known[name] : undefined
    if (parameter === undefined) throw refuseName(name, Object.keys(known))
    const texts = query.getAll(name)
    if (!parameter.isList && texts.length > 1)
      throw refuseParameter(name, 'one value', `${texts.length} values`)
    values.push([name, readTexts(name, parameter, texts)])
  }
  return Object.fromEntries(values) as Partial<ValuesOf<Q>>
}

/**
 * Reads the variable parts of a path.
 *
 * @throws {HttpProblem} 400 where one is malformed
 */
export function readPath<P extends ParameterSet>(
  params: Readonly<Record<string, string>>,
  known: P,
): ValuesOf<P> {
  const values = Object.entries(known).map(([name, parameter]) => [
    name,
    readTexts(name, parameter, [params[name] ?? '']),
  ])
  return Object.fromEntries(values) as ValuesOf<P>
}

/** Makes the answer to a parameter that is not what it has to be. */
export function refuseParameter(parameter: string, expected: string, found: string): HttpProblem {
  const shown = { parameter: showText(parameter), expected, found: showText(found) }
  return new HttpProblem(
    400,
    `Cannot read parameter ${shown.parameter}: expected ${expected}, found ${shown.found}`,
    {
      members: shown,
    },
  )
}

function readTexts(name: string, parameter: Parameter<unknown>, texts: readonly string[]): unknown {
  const value = parameter.read(texts)
  if (value !== null) return value
  const wrong = texts.find((text) => parameter.read([text]) === null) ?? ''
  throw refuseParameter(name, parameter.expected, `'${wrong}'`)
}

function refuseName(name: string, known: readonly string[]): HttpProblem {
  const expected = known.length === 0 ? 'no parameters' : `one of ${known.join(', ')}`
  return refuseParameter(name, expected, 'an unknown name')
}

/** The longest text of a request that is shown in an answer to it. */
const SHOWN_LENGTH = 100

function showText(text: string): string {
  const start = text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text
  return start.toWellFormed().replaceAll(/\p{C}/gu, '\u{fffd}')
}
