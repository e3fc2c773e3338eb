import { isPlainObject, type RulesPath } from './find-shape-problems.ts'
import { RulesError } from './rules-error.ts'
import type { Shape } from './rules-shape.ts'
import { isStandardSchema } from './standard-schema.ts'

/**
 * Copies rules of the right shape that are an object, so that what the caller changes later does not change them. A
 * Standard Schema is code, and is taken as it is.
 *
 * @throws {RulesError} where a JSON Schema holds what JSON cannot
 */
export function copyByShape(value: unknown, shape: Shape, path: RulesPath = []): unknown {
  switch (shape.type) {
    case 'object':
      return copyKeys(value, (key) => shape.keys[key], path)
    case 'map':
      return copyKeys(value, () => shape.values, path)
    case 'schema':
      return isStandardSchema(value) ? value : copySchema(value, path)
    default:
      return structuredClone(value)
  }
}

function copyKeys(value: unknown, shapeOf: (key: string) => Shape | undefined, path: RulesPath): unknown {
  if (!isPlainObject(value)) return value
  const entries = Object.entries(value).map(([key, item]) => {
    const shape = shapeOf(key)
    return [key, shape === undefined ? item : copyByShape(item, shape, [...path, key])]
  })
  return Object.fromEntries(entries) as unknown
}

function copySchema(schema: unknown, path: RulesPath): unknown {
  try {
    return structuredClone(schema)
  } catch {
    const expected = 'an object that JSON can hold'
    throw new RulesError([
      { file: null, line: null, path: path.join('.'), expected, found: 'a function or the like' },
    ])
  }
}
