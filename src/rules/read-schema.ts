import { dirname, isAbsolute, join } from 'node:path'
import { Ajv, type Options } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { toExcerpt } from '../findings/excerpt.ts'
import { describeValue, isPlainObject } from './find-shape-problems.ts'
import { parseRulesText } from './parse-rules-text.ts'
import { readRulesFile } from './read-rules-file.ts'
import type { PlacedSchema, RulesPlace } from './rules.ts'
import { RulesError } from './rules-error.ts'
import type { JsonSchema } from './rules-file.ts'

/** Where the files lie that schemas refer to. */
export interface SchemaFolder {
  /** The path of the rules file; `null` for rules that are an object: they have no files beside them. */
  readonly rulesPath: string | null
}

/** A JSON Schema with the place from which it was taken. */
interface PlacedJsonSchema extends PlacedSchema {
  readonly schema: JsonSchema
}

/**
 * Takes a JSON Schema out of the rules, from the file that it refers to, if it does.
 *
 * @throws {RulesError} where that file cannot be read, or the schema is none
 */
export function readSchema(schema: JsonSchema, place: RulesPlace, folder: SchemaFolder): PlacedJsonSchema {
  const reference = schema['$ref']
  const refersToFile = typeof reference === 'string' && !reference.startsWith('#')
  const placed = refersToFile ? readReferred(schema, place, folder) : { schema, place }
  const defect = findDefect(placed.schema)
  if (defect === null) return placed
  throw new RulesError([
    { ...placed.place, expected: 'a JSON Schema that can be used', found: toExcerpt(defect) },
  ])
}

function readReferred(schema: JsonSchema, place: RulesPlace, { rulesPath }: SchemaFolder): PlacedJsonSchema {
  const reference = String(schema['$ref'])
  const refuse = (expected: string, found: string): never => {
    throw new RulesError([{ ...place, expected, found }])
  }
  if (rulesPath === null) return refuse('a schema in the rules themselves', `a reference to ${reference}`)
  if (Object.keys(schema).length > 1) return refuse('$ref alone', `other keys beside $ref ${reference}`)
  if (reference.includes('#') || /^[a-z][\w+.-]+:/iu.test(reference)) {
    return refuse('the path of a file without a fragment', reference)
  }
  const path = isAbsolute(reference) ? reference : join(dirname(rulesPath), reference)
  const text = readRulesFile(path, (found) => ({
    ...place,
    expected: `a file that can be read at ${reference}`,
    found,
  }))
  const name = place.file === null ? reference : join(dirname(place.file), reference)
  const { value } = parseRulesText(text, name)
  if (isPlainObject(value)) return { schema: value, place: { file: name, line: 1, path: '' } }
  const problem = { file: name, line: 1, path: '', expected: 'a JSON Schema', found: describeValue(value) }
  throw new RulesError([problem])
}

/** A keyword that nobody knows is most likely a mistyped one; what is merely unusual is let through. */
const options: Options = {
  strict: false,
  strictSchema: true,
  keywords: ['$anchor'],
  logger: false,
  validateFormats: false,
  addUsedSchema: false,
}

/** What keeps a schema from being compiled; `null` where nothing does. */
function findDefect(written: JsonSchema): string | null {
  const { $schema } = written
  // Nothing is ever looked up by them.
  const schema = Object.fromEntries(
    Object.entries(written).filter(([key]) => key !== '$schema' && key !== '$id'),
  )
  const isOld = typeof $schema === 'string' && /draft-0[3-7]/u.test($schema)
  const defect = compile(schema, isOld)
  // What names no draft may be written in the older one, too.
  return defect === null || $schema !== undefined ? defect : compile(schema, true) === null ? null : defect
}

function compile(schema: JsonSchema, isOld: boolean): string | null {
  try {
    const engine = isOld ? new Ajv(options) : new Ajv2020(options)
    engine.compile(schema)
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
