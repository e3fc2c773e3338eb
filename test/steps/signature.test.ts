import { describe, expect, it } from 'vitest'
import type { FieldKey } from '../../src/semconv/field-key.ts'
import { Content, CONTENT_LIMIT } from '../../src/steps/content.ts'
import { CAPTURED_KEY } from '../../src/steps/captured-content.ts'
import {
  toPromptSignature,
  toRequestSignature,
  toResultDigest,
  toRetryKey,
  toSignature,
} from '../../src/steps/signature.ts'

const SOURCE: FieldKey = {
  field: 'call.arguments',
  key: 'input.value',
  dialect: 'openinference',
  version: '1',
}

function recorded(raw: unknown): Content {
  return Content.recorded(raw, SOURCE)
}

function signEdit(text: string): string | null {
  return toSignature('edit', recorded({ text }))
}

function signPrompt(text: string): string | null {
  return toPromptSignature('chat', recorded(text))
}

function nativeMessages(text: string): Content {
  return recorded([{ role: 'user', content: text }])
}

function retryKey(args: unknown): string | null {
  return toRetryKey('refund', args)
}

const UNSEEN: readonly (readonly [string, Content])[] = [
  ['absent', Content.missing('absent')],
  ['dropped', Content.missing('dropped')],
  ['redacted', recorded('__REDACTED__')],
  ['truncated', recorded('{"city":"Par')],
]

describe('the signature of a call', () => {
  const args = { city: 'Paris', filter: { to: 2, from: 1 } }
  const signature = toSignature('forecast', recorded(args))

  it('is 16 hex digits', () => {
    expect(signature).toMatch(/^[0-9a-f]{16}$/u)
  })

  it.each([
    ['with keys in another order', { filter: { from: 1, to: 2 }, city: 'Paris' }],
    ['as JSON text', JSON.stringify(args)],
    ['as JSON text with white space', JSON.stringify(args, null, 4)],
    ['as JSON text encoded twice', JSON.stringify(JSON.stringify(args))],
    ['with a field as JSON text', { ...args, filter: '{"to":2,"from":1}' }],
  ])('is the same for its arguments %s', (_form, form) => {
    expect(toSignature('forecast', recorded(form))).toBe(signature)
    expect(toRequestSignature('forecast', form)).toBe(signature)
  })

  it('is another for another tool', () => {
    expect(toSignature('history', recorded(args))).not.toBe(signature)
  })

  it.each([
    ['another value', { ...args, city: 'Rome' }],
    ['a further argument', { ...args, days: 1 }],
    ['an argument less', { city: 'Paris' }],
  ])('is another for %s', (_what, other) => {
    expect(toSignature('forecast', recorded(other))).not.toBe(signature)
    expect(toRequestSignature('forecast', other)).not.toBe(signature)
  })

  it('is another where only the white space of code differs, since a repaired indentation is a new attempt', () => {
    expect(signEdit('if x:\n    y')).not.toBe(signEdit('if x:\n  y'))
    expect(signEdit('a\n')).not.toBe(signEdit('a'))
    expect(signEdit('a\tb')).not.toBe(signEdit('a b'))
  })

  it('does not run name and arguments into each other', () => {
    expect(toSignature('a', recorded('b\nc'))).not.toBe(toSignature('a\nb', recorded('c')))
  })

  it.each(UNSEEN)(
    'is none where its arguments are %s, so that two such calls are never equal',
    (_state, content) => {
      expect(toSignature('forecast', content)).toBeNull()
    },
  )

  it('is none for a request without arguments that are seen', () => {
    expect(toRequestSignature('forecast', undefined)).toBeNull()
  })

  it('compares the whole text of arguments above 64 KiB', () => {
    const long = 'a'.repeat(CONTENT_LIMIT)
    expect(toSignature('save', recorded(`${long}1`))).not.toBe(toSignature('save', recorded(`${long}2`)))
    expect(toSignature('save', recorded(`${long}1`))).toBe(toSignature('save', recorded(`${long}1`)))
  })
})

describe('the signature of a prompt', () => {
  it('is the same for the same prompt only', () => {
    expect(signPrompt('Hello')).toBe(signPrompt('Hello'))
    expect(signPrompt('Hello')).not.toBe(signPrompt('Hello!'))
    expect(toPromptSignature('other', recorded('Hello'))).not.toBe(signPrompt('Hello'))
  })

  it.each([10_000, CONTENT_LIMIT + 10_000])(
    'tells apart turns of a conversation of %d characters',
    (length) => {
      const conversation = `Begin. ${'a'.repeat(length)}`
      expect(signPrompt(`${conversation} one`)).not.toBe(signPrompt(`${conversation} two`))
      expect(signPrompt(conversation)).not.toBe(signPrompt(`${conversation}a`))
    },
  )

  it('is read from native messages, too', () => {
    expect(toPromptSignature('chat', nativeMessages('a'))).toBe(
      toPromptSignature('chat', nativeMessages('a')),
    )
    expect(toPromptSignature('chat', nativeMessages('a'))).not.toBe(
      toPromptSignature('chat', nativeMessages('b')),
    )
  })

  it.each(UNSEEN)('is none where the prompt is %s', (_state, content) => {
    expect(toPromptSignature('chat', content)).toBeNull()
  })

  it('is none for an empty prompt', () => {
    expect(signPrompt('')).toBeNull()
  })
})

describe('the digest of a result', () => {
  it('is the same for the same result only', () => {
    expect(toResultDigest(recorded('rain'))).toMatch(/^[0-o]{10}$/u)
    expect(toResultDigest(recorded('rain'))).toBe(toResultDigest(recorded('rain')))
    expect(toResultDigest(recorded('rain'))).not.toBe(toResultDigest(recorded('rain ')))
    expect(toResultDigest(recorded({ b: 1, a: 2 }))).toBe(toResultDigest(recorded({ a: 2, b: 1 })))
  })

  it('of a captured result, which is written on its span, is one of SHA-256', () => {
    const source = { field: 'output', key: CAPTURED_KEY, dialect: 'agent-reach', version: '1' } as const
    // printf rain | sha256sum
    expect(toResultDigest(Content.recorded('rain', source))).toBe('319b44c570a417ff')
  })

  it.each(UNSEEN)('is none where the result is %s', (_state, content) => {
    expect(toResultDigest(content)).toBeNull()
  })
})

describe('the retry key of a call', () => {
  const order = retryKey({ order_id: 'A1' })

  it.each([
    { order_id: 'A1', amount: 5 },
    { amount: 7, order_id: 'A1', note: 'again' },
    { kwargs: { order_id: 'A1', amount: 5 }, args: [] },
  ])('is the same whatever stands beside what it is about: %j', (args) => {
    expect(retryKey(args)).toBe(order)
  })

  it.each([{ order_id: 'A2' }, { order_id: 1 }, { order_id: 'A1', user_id: 'u1' }, { orderId: 'A1' }])(
    'is another for another thing: %j',
    (args) => {
      expect(retryKey(args)).not.toBe(order)
    },
  )

  it('is another for another tool', () => {
    expect(toRetryKey('cancel', { order_id: 'A1' })).not.toBe(order)
  })

  it.each(['id', 'key', 'uuid', 'number', 'user_id', 'userId', 'invoice_no'])(
    'is told by an argument %s',
    (name) => {
      expect(retryKey({ [name]: 1 })).not.toBeNull()
      expect(retryKey({ [name]: true })).not.toBeNull()
    },
  )

  it('does not depend on the order of keys', () => {
    expect(retryKey({ a_id: 1, b_id: 2 })).toBe(retryKey({ b_id: 2, a_id: 1 }))
  })

  it.each([
    ['a word that merely ends so', { paid: 1, void: 2, monkey: 3, identity: 4 }],
    ['no object', 'order_id=A1'],
    ['a list', [{ id: 1 }]],
    ['an id that is no scalar', { id: { a: 1 }, user_id: null }],
    ['ids deeper down', { order: { id: 1 } }],
    ['nothing', undefined],
    ['null', null],
  ])('is none for %s', (_what, args) => {
    expect(retryKey(args)).toBeNull()
  })
})

describe('the digest of a long result', () => {
  const digest = (text: string): string | null => toResultDigest(recorded(text))
  const rows = Array.from({ length: 2_000 }, (_, n) => `row ${n}: ${n * 7919}`)
  const long = rows.join('\n')

  it('is the same for the same text', () => {
    expect(digest(long)).toBe(digest(rows.join('\n')))
  })

  it('tells apart another length, another beginning, another end and a changed stretch in the middle', () => {
    const middle = Math.floor(long.length / 2)
    const changed = [
      `${long}.`,
      `R${long.slice(1)}`,
      `${long.slice(0, -1)}x`,
      long.slice(0, middle) + 'x'.repeat(2_000) + long.slice(middle + 2_000),
    ]
    expect(new Set([long, ...changed].map(digest)).size).toBe(5)
  })

  it('of a short text sees every character', () => {
    const short = long.slice(0, 3_000)
    expect(digest(short)).not.toBe(digest(`${short.slice(0, 1_500)}#${short.slice(1_501)}`))
  })

  it('sees one digit in the middle of anything that a check sees whole', () => {
    const text = long.slice(0, 30_000)
    const changed = (at: number): string => `${text.slice(0, at)}#${text.slice(at + 1)}`
    const places = Array.from({ length: 100 }, (_, n) => n * 299)
    expect(new Set(places.map((at) => digest(changed(at)))).size).toBe(100)
  })
})
