import * as fc from 'fast-check'
import { safeRegex } from 'safe-regex2'
import { describe, expect, it, test } from 'vitest'
import { EXCERPT_LIMIT, toExcerpt } from '../../src/findings/excerpt.ts'
import { maskCatalog } from '../../src/findings/mask-catalog.ts'
import { exemptPatterns } from '../../src/findings/mask-exempt.ts'

const JWT =
  'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U'
const SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
const PEM = `-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n${'MIIEow/IBAAKCAQEA+x9\n'.repeat(9)}-----END RSA PRIVATE KEY-----`

describe('an e-mail address is masked', () => {
  it.each([
    ['ada@example.org', '[e-mail]'],
    ['to <ada.lovelace+test@mail.example.co.uk>, now', 'to <[e-mail]>, now'],
    ['sent to ada@example.org.', 'sent to [e-mail].'],
    ['请发送到ada@example.com，谢谢', '请发送到[e-mail]，谢谢'],
    ['邮箱ada@example.cn收到', '邮箱[e-mail]收到'],
    ['用户@例子.中国 存在', '[e-mail] 存在'],
    ['josé@exämple.es', '[e-mail]'],
    ['ada@xn--fsqu00a.xn--fiqs8s', '[e-mail]'],
    ['/find?email=ada%40example.org&page=2', '/find?email=[e-mail]&page=2'],
    ['{"to":"ada@example.org"}', '{"to":"[e-mail]"}'],
  ])('in %j', (text, masked) => {
    expect(toExcerpt(text)).toBe(masked)
  })
})

describe('a phone number is masked', () => {
  it.each([
    ['call +49 170 1234567 now', 'call [phone] now'],
    ['+1 (415) 555-0123', '[phone]'],
    ['+14155550123', '[phone]'],
    ['+86 138 0013 8000', '[phone]'],
    ['+86-13800138000', '[phone]'],
    ['0086 13800138000', '[phone]'],
    ['0049 170 1234567', '[phone]'],
    ['13800138000', '[phone]'],
    ['手机号13800138000已注册', '手机号[phone]已注册'],
    ['138 0013 8000', '[phone]'],
    ['138-0013-8000', '[phone]'],
    ['1380-013-8000', '[phone]'],
    ['user_13800138000', 'user_[phone]'],
    ['010-12345678', '[phone]'],
    ['400-820-8820', '[phone]'],
    ['(415) 555-0123', '([phone]'],
    ['415.555.0123', '[phone]'],
    ['020 7946 0958', '[phone]'],
    ['01 23 45 67 89', '[phone]'],
    ['0170 1234567/0171 7654321', '[phone]/[phone]'],
    ['01701234567', '[phone]'],
    ['0612345678', '[phone]'],
    ['phone: 4155550123', 'phone: [phone]'],
    ['{"phoneNumber":"4155550123"}', '{"phoneNumber":"[phone]"}'],
    ['电话：62345678', '电话：[phone]'],
    ['+49 170 1234567 2024-05-06', '[phone] 2024-05-06'],
    ['1007 13800138000 42', '1007 [phone] 42'],
  ])('in %j', (text, masked) => {
    expect(toExcerpt(text)).toBe(masked)
  })
})

describe('a number with a check digit is masked', () => {
  it.each([
    // The two examples in GB 11643-1999.
    ['11010519491231002X', '[id number]'],
    ['身份证440524188001010014', '身份证[id number]'],
    ['身份证号：11010519491231002x，有效', '身份证号：[id number]，有效'],
    ['110105 19491231 002X', '[id number]'],
    ['110105-19491231-002X', '[id number]'],
    // The test numbers that the networks publish.
    ['4111 1111 1111 1111', '[card]'],
    ['4111111111111111', '[card]'],
    ['5500-0000-0000-0004', '[card]'],
    ['3782 822463 10005', '[card]'],
    ['30569309025904', '[card]'],
    ['6011000990139424', '[card]'],
    ['4222222222222', '[card]'],
    ['6212345678900000003', '[card]'],
    ['card 378282246310005 2024-05-06', 'card [card] 2024-05-06'],
    ['order 1007 4111 1111 1111 1111 paid', 'order 1007 [card] paid'],
    ['4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1', '[card]'],
  ])('in %j', (text, masked) => {
    expect(toExcerpt(text)).toBe(masked)
  })
})

describe('a secret is masked', () => {
  it.each([
    ['Authorization: Bearer abc.def-ghi_jkl', 'Authorization: Bearer [secret]'],
    ['Authorization: Bearer abcdefgh', 'Authorization: Bearer [secret]'],
    ['basic dXNlcjpwYXNzd29yZA==', 'basic [secret]'],
    ['bad key sk-proj-abcdefghijklmnopqrstuvwx', 'bad key [secret]'],
    ['sk_live_4eC39HqLyjWDarjtT1zdp7dc', '[secret]'],
    ['pk_test_TYooMQauvdEDq54NiTphI7jx', '[secret]'],
    [`ghp_${'aB3'.repeat(12)}`, '[secret]'],
    [`gho_${'aB3'.repeat(12)}`, '[secret]'],
    [`github_pat_11ABCDEFG0_${'aB3'.repeat(12)}`, '[secret]'],
    ['xoxb-123456789012-abcdefABCDEF', '[secret]'],
    ['AKIAIOSFODNN7EXAMPLE', '[secret]'],
    ['ASIAIOSFODNN7EXAMPLE', '[secret]'],
    [`AIza${'Sy0-x'.repeat(7)}`, '[secret]'],
    ['glpat-abcdefghijklmnopqrst', '[secret]'],
    [`npm_${'aB3'.repeat(12)}`, '[secret]'],
    [`hf_${'aBcD'.repeat(8)}`, '[secret]'],
    [`令牌 ${JWT}。`, '令牌 [secret]。'],
    ['GET /v1?key=abc123&page=2', 'GET /v1?key=[secret]&page=2'],
    ['/cb?access_token=abc&state=1', '/cb?access_token=[secret]&state=1'],
    ['password=hunter2, user=ada', 'password=[secret], user=ada'],
    ['Server=db;Password=a,b;Database=x', 'Server=db;Password=[secret];Database=x'],
    ['Incorrect API key provided: abcd1234.', 'Incorrect API key provided: [secret]'],
    ['token: 123456', 'token: [secret]'],
    ['x-api-key: 5f2a', 'x-api-key: [secret]'],
    ['OPENAI_API_KEY=abcdef', 'OPENAI_API_KEY=[secret]'],
    ['{"password":"a\\"b c","user":"ada"}', '{"password":"[secret]","user":"ada"}'],
    ["{'client_secret': 'a b', 'x': 1}", "{'client_secret': '[secret]', 'x': 1}"],
    ['"{\\"token\\":\\"abc\\",\\"x\\":1}"', '"{\\"token\\":\\"[secret]\\",\\"x\\":1}"'],
    ['{"password": 12345, "x": 1}', '{"password": [secret], "x": 1}'],
    ['key=a1b2c3d4e5f6a7b8c9', 'key=[secret]'],
    ['密码：hunter2', '密码：[secret]'],
    ['login --password hunter2 --quiet', 'login --password [secret] --quiet'],
    ['Cookie: sid=abc; theme=dark', 'Cookie: [secret]'],
    ['postgres://ada:hunter2@db.example.org:5432/shop', 'postgres://ada:[secret]@db.example.org:5432/shop'],
    ['redis://:p@ss@10.0.0.1/0', 'redis://:[secret]@10.0.0.1/0'],
    ['mysql ada:hunter2@tcp(10.0.0.1:3306)/shop', 'mysql ada:[secret]@tcp(10.0.0.1:3306)/shop'],
    ['ada:p$ss@db.example.org:5432', 'ada:[secret]@db.example.org:5432'],
    [`before ${PEM} after`, 'before [secret] after'],
    [`{"key":"${PEM.replaceAll('\n', '\\n')}"}`, '{"key":"[secret]"}'],
    [SHA256, '[secret]'],
    ['4bf92f3577b34da6a3ce929d0e0e4736', '[secret]'],
    ['h5Yt+Q0nZ8s/Kp3VbW2xR7uLm4Jd9aGfTc6EoHiXvN1=', '[secret]'],
    ['aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', 'aws_secret_access_key = [secret]'],
  ])('in %j', (text, masked) => {
    expect(toExcerpt(text)).toBe(masked)
  })
})

describe('nothing is masked', () => {
  it.each([
    // Ten digits are an order number as often as a phone number: only a label or a leading 0 makes them a phone.
    'order 4155550123 not found',
    'order 1234567890 not found',
    'ORD-1007',
    'ORD-13912345678',
    'ORD-2024-000123',
    'invoice 0000123456',
    'at 2024-05-06T07:08:09.123456+08:00',
    '2024-05-06 07:08:09 and 06.05.2024 07:08',
    'from 2024-01-15 to 2024-01-16',
    '2024/05/06 2024/05/07',
    'at 1764460800000 ms, 1764460800 s, 1764460800000000000 ns',
    'pi is 3.14159265358979',
    '-0.4111111111111111',
    '192.168.0.1:8080 and 10.0.0.255',
    'total 1,234,567.89 USD, 1 234 567 EUR',
    'node v20.19.0, react@19.0.0-rc.beta, @scope/pkg@1.2.3',
    '550e8400-e29b-41d4-a716-446655440000',
    'run-12345678-1234-4123-8123-123456789012',
    `sha256:${SHA256}`,
    `trace_id=4bf92f3577b34da6a3ce929d0e0e4736 span_id=00f067aa0ba902b7`,
    '{"traceId":"4bf92f3577b34da6a3ce929d0e0e4736"}',
    '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    'commit da39a3ee5e6b4b0d3255bfef95601890afd80709',
    'span 00f067aa0ba902b7',
    // Their last digits are wrong by one.
    '4111 1111 1111 1112',
    '110105194912310021',
    // The 31st of February.
    '110105194902310020',
    'Basic authentication failed, bearer token-based',
    'Unexpected token } in JSON, Unexpected token: "a"',
    'password: must be at least 8 characters',
    'token=expired',
    'max_token=4096, input_token: 12',
    '{"password":null,"token":"string","secret":""}',
    '{"max_tokens": 4096, "total_tokens": 123}',
    'KeyError: key=shipping_address, primary_key=17',
    'key=customer-10001',
    'PWD=/home/ada',
    'http://registry:4873/@scope/pkg',
    'https://medium.com/@ada.lovelace/a',
    'docker repo/name:tag@sha256 missing',
    'task-list-abcdefghijklmno, pk-lookup-failed-again, skateboarding-is-fun',
    'npm_config_registry is unset',
    '/usr/local/lib/node_modules/agent-reach/dist/esm/index.js',
    'com.example.AbstractSingletonProxyFactoryBeanGenerator2',
    'report-2024-01-15-final-version-of-the-thing-12',
    '订单 ORD-1007 没有找到，共 3 件，价格 128.50 元',
    'expected >= 3 items, found 0 (HTTP 404)',
    'a'.repeat(64),
  ])('in %j', (text) => {
    expect(toExcerpt(text)).toBe(text)
  })
})

describe('an excerpt', () => {
  it('is one line', () => {
    expect(toExcerpt(' a\n\tb \r\n c ')).toBe('a b c')
  })

  it('ends in … where text is left out, counted in characters', () => {
    expect(toExcerpt('😀'.repeat(201))).toBe(`${'😀'.repeat(199)}…`)
    expect(toExcerpt('😀'.repeat(200))).toBe('😀'.repeat(200))
    expect(toExcerpt('abcdef', 4)).toBe('abc…')
  })

  it.each([
    ['a card', '4111 1111 1111 1111'],
    ['an e-mail address', `${'a'.repeat(64)}@example.org`],
    ['a key', 'sk-proj-abcdefghijklmnopqrstuvwx'],
    ['a private key', PEM],
    ['a password in a URL', 'db://ada:hunter2hunter2@example.org'],
  ])('holds no part of %s wherever the cuts fall', (_name, secret) => {
    const beginning = secret.replace(/^(?:-----BEGIN|db:\/\/ada:)/u, '').slice(0, 4)
    for (let lead = 0; lead < 400; lead += 1) {
      expect(toExcerpt(`${'. '.repeat(lead / 2)}${secret}`, 40)).not.toContain(beginning)
      // What came before was long and is short now, so the end of the part that is read comes to light.
      const shrunk = `password="${'x y '.repeat(60)}" ${'. '.repeat(lead / 4)}${secret} ${'. '.repeat(900)}`
      expect(toExcerpt(shrunk, 40)).not.toContain(beginning)
    }
  })

  it.each([
    ['a private key', `-----BEGIN PRIVATE KEY----- ${'MIIEow/IBAA+x9 '.repeat(900)}`, 'MIIE'],
    ['a token', `Bearer ${'aB3'.repeat(9000)}`, 'aB3'],
    ['a JWT', `eyJhbGciOi.${'aB3'.repeat(9000)}`, 'aB3'],
    ['a quoted password', `{"password":"${'let me in '.repeat(900)}`, 'let'],
    ['a password in a URL', `db://ada:${'aB3-'.repeat(900)}@example.org`, 'aB3'],
    ['hex', '0123456789abcdef'.repeat(900), '0123'],
  ])('masks %s that goes on beyond what is read', (_name, text, part) => {
    expect(toExcerpt(text)).toContain('[secret]')
    expect(toExcerpt(text)).not.toContain(part)
  })
})

const separator = fc.constantFrom(' ', '\n', '"', ', ', '：', '，', ' (', '<')
const around = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.constantFrom(
    'order ORD-1007',
    'id 1234567890 of',
    '订单号',
    '2024-05-06',
    'v1.2.3',
    '555 1234',
    '[1, 2',
  ),
)

const digits = (length: number) => fc.array(fc.nat(9), { minLength: length, maxLength: length })

/** Written anew, not taken from the source. */
function withLuhn(body: readonly number[]): string {
  const sum = body.toReversed().reduce((all, digit, place) => {
    return all + (place % 2 === 0 ? [0, 2, 4, 6, 8, 1, 3, 5, 7, 9][digit]! : digit)
  }, 0)
  return `${body.join('')}${(10 - (sum % 10)) % 10}`
}

const card = fc
  .tuple(
    fc.constantFrom(3, 4, 5, 6),
    fc.integer({ min: 11, max: 17 }).chain(digits),
    fc.constantFrom('', ' ', '-'),
  )
  .map(([first, rest, gap]) => withLuhn([first, ...rest]).replace(/(\d{4})(?=\d)/gu, `$1${gap}`))

const WEIGHTS = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]

const residentId = fc
  .tuple(
    fc.integer({ min: 110000, max: 659999 }),
    fc.date({ min: new Date('1920-01-01'), max: new Date('2020-12-31'), noInvalidDate: true }),
    digits(3),
  )
  .map(([region, born, order]) => {
    const body = `${region}${born.toISOString().slice(0, 10).replaceAll('-', '')}${order.join('')}`
    const sum = WEIGHTS.reduce((all, weight, place) => all + weight * Number(body[place]), 0)
    return `${body}${'10X98765432'[sum % 11]}`
  })

const secretKey = fc
  .tuple(
    fc.constantFrom('sk-', 'ghp_', 'glpat-', 'hf_', 'npm_', 'Bearer '),
    fc.stringMatching(/^[A-Za-z]{20}\d[A-Za-z\d]{9}$/u),
  )
  .map(([prefix, rest]) => `${prefix}${rest}`)

describe('whatever stands around', () => {
  test.each<readonly [string, fc.Arbitrary<string>]>([
    ['a card', card],
    ['a resident id', residentId],
    [
      'an e-mail address',
      fc.emailAddress({ size: '-1' }).filter((mail) => /^[\w.+%-]+@(?!\d+\.\d+\.\d)/u.test(mail)),
    ],
    ['a key', secretKey],
    ['a Chinese mobile number', fc.stringMatching(/^1[3-9]\d-?\d{4}-?\d{4}$/u)],
  ])('%s is never in the excerpt', (_name, raw) => {
    fc.assert(
      fc.property(fc.tuple(around, separator), raw, fc.tuple(separator, around), (before, secret, after) => {
        expect(toExcerpt(`${before.join('')}${secret}${after.join('')}`)).not.toContain(secret)
      }),
      { numRuns: 1000 },
    )
  })

  test('an excerpt of an excerpt is the same, and within the limit', () => {
    const piece = fc.oneof(
      around,
      separator,
      card,
      residentId,
      secretKey,
      fc.emailAddress(),
      fc.constantFrom(
        'password=',
        '"token":"',
        'Cookie: a=',
        'key: ',
        'db://a:',
        '@',
        '+',
        '[secret]',
        '-----BEGIN PRIVATE KEY-----',
      ),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.constantFrom(40, EXCERPT_LIMIT), (pieces, limit) => {
        const once = toExcerpt(pieces.join(''), limit)
        expect(Array.from(once).length).toBeLessThanOrEqual(limit)
        expect(toExcerpt(once, limit)).toBe(once)
      }),
      { numRuns: 3000 },
    )
  })
})

describe('the time it takes', () => {
  const patterns = [
    ...maskCatalog.map(({ name, pattern }) => [name, pattern] as const),
    ...Object.entries(exemptPatterns),
  ]

  it.each(patterns)('does not explode for the pattern of %s', (_name, pattern) => {
    // safe-regex2 reads no lookbehind; a lookahead has the same structure.
    expect(safeRegex(pattern.source.replaceAll(/\(\?<([!=])/gu, '(?$1'))).toBe(true)
    expect(pattern.flags).toContain('g')
  })

  it('has one row a name', () => {
    const names = maskCatalog.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
  })

  it.each([
    'a',
    '1',
    '0',
    '-',
    '1 ',
    '1-',
    '1.',
    'a@',
    'a.',
    '://a:',
    'a:',
    '"',
    '\\"',
    'key=',
    'token="\\',
    'password=',
    '-----BEGIN PRIVATE KEY-----',
    'eyJaaaaaaaa.',
    'Bearer ',
    'Cookie: a=',
    '+1',
    '(0',
    'tel: ',
    'sha256:',
    'aB3',
    '，',
    'ada@a.',
    '%40',
    '\uD800',
    ' ',
    '+1 1',
    '13',
    '4111 ',
    '--key ',
    '2024-01-01 ',
  ])('stays small for 100 KB of %j', (unit) => {
    const hostile = unit.repeat(Math.ceil(100_000 / unit.length))
    for (const end of ['', '!', '@', 'a@b.co'])
      expect(Array.from(toExcerpt(hostile + end)).length).toBeLessThanOrEqual(EXCERPT_LIMIT)
  })
})
