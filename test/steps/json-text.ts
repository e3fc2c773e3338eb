import * as fc from 'fast-check'

/** Scalars as JSON text: what is nothing, what only looks like nothing, and words that make a text an error. */
const scalar = fc.oneof(
  fc.constantFrom(
    'null',
    'true',
    'false',
    '0',
    '-0',
    '0.0',
    '0e5',
    '10',
    '-7',
    '404',
    '1e2',
    '500.0',
    '""',
    '" "',
    '"\\n"',
    '"\\u0020"',
    '"\\u200b"',
    '"ok"',
    '"a\\nb"',
    '"\\\\n"',
    '"null"',
    '"订单"',
    '"done."',
    '"[]"',
    '"{}"',
    '"[1]"',
    '"{\\"error\\":\\"x\\"}"',
    '"[redacted]"',
    '"Error: no such order"',
    '"failed"',
    '"text"',
  ),
  fc.jsonValue({ maxDepth: 0 }).map((value) => JSON.stringify(value)),
)

/** Names of members: those that mean something in a result, the same in escapes, and any. */
function nameOf(names: readonly string[]): fc.Arbitrary<string> {
  return fc.oneof(
    { arbitrary: fc.constantFrom(...names).map((name) => JSON.stringify(name)), weight: 8 },
    {
      arbitrary: fc
        .constantFrom(...names)
        .map((name) => `"\\u${name.charCodeAt(0).toString(16).padStart(4, '0')}${name.slice(1)}"`),
      weight: 2,
    },
    {
      arbitrary: fc.string({ unit: 'grapheme', maxLength: 6 }).map((name) => JSON.stringify(name)),
      weight: 1,
    },
  )
}

/**
 * The JSON text of an object or a list, written as nobody's serializer would: any white space, names in escapes, the
 * same name twice.
 *
 * @param names what members are mostly called
 */
export function jsonText(names: readonly string[]): fc.Arbitrary<string> {
  const white = fc.constantFrom('', '', '', ' ', '\n', '\t\r ')
  const name = nameOf(names)
  const between = (open: string, close: string, parts: readonly string[], space: string): string =>
    `${open}${space}${parts.join(`${space},${space}`)}${space}${close}`
  const { container } = fc.letrec<{ value: string; container: string }>((tie) => ({
    value: fc.oneof({ depthSize: 'small' }, scalar, scalar, tie('container')),
    container: fc.oneof(
      { depthSize: 'small' },
      fc
        .tuple(fc.array(fc.tuple(name, white, tie('value')), { maxLength: 4 }), white)
        .map(([members, space]) =>
          between(
            '{',
            '}',
            members.map(([key, gap, value]) => `${key}${gap}:${gap}${value}`),
            space,
          ),
        ),
      fc
        .tuple(fc.array(tie('value'), { maxLength: 4 }), white)
        .map(([items, space]) => between('[', ']', items, space)),
    ),
  }))
  return fc.tuple(white, container, white).map((parts) => parts.join(''))
}
