import type { MaskRow, MaskSpan } from './mask-row.ts'

/** What stands for a state or a type where a secret could stand: the message would lose its sense without it. */
const plainWords: ReadonlySet<string> = new Set(
  [
    'null none nil true false undefined nan empty unknown missing required optional redacted masked hidden',
    'invalid incorrect wrong expired revoked rejected denied failed mismatch malformed unauthorized forbidden',
    'is was are were has had must should cannot can could may will does did do not no too and or for in of to',
    'the a an this that your please field value here string number integer boolean object array type',
    'bearer basic token digest apikey',
  ].flatMap((words) => words.split(' ')),
)

const QUOTED_OR_BARE = String.raw`(?:\\{1,3}"[^"\\]*|"(?:\\.|[^"\\])*|'(?:\\.|[^'\\])*|(?![[{"'\\])[^\s"'&;<>]*[^\s"'&;<>,)}\]])`

const SEPARATOR = String.raw`(?:| provided)\\{0,3}["']?\s?(?:[:=：]|=>|==)\s?`

const SCHEME = '(?:Bearer |Basic |Token |ApiKey |)'

const ALWAYS = [
  '(?:api|access|secret|private|account|shared|encryption|master|auth)[-_ ]?key',
  '(?<!unexpected )token',
  'password|passwd|passphrase|passcode|pwd|secret|authorization',
  '[?&]key|密码|口令|密钥|令牌',
].join('|')

/** Values with a name that says they are secret: in queries, headers, fragments of JSON, options of a command. */
export const namedValueMasks: readonly MaskRow[] = [
  {
    name: 'named-secret',
    label: '[secret]',
    pattern: new RegExp(`(?<keep>(?:${ALWAYS})${SEPARATOR}${SCHEME})${QUOTED_OR_BARE}`, 'giu'),
    pick: pickValue,
  },
  {
    name: 'option-secret',
    label: '[secret]',
    pattern: /(?<keep>--[a-z-]{0,32}(?:key|token|password|secret)\s)(?![-[{"'])[^\s"'&;<>]+/giu,
    pick: pickValue,
  },
  {
    // These names have many other uses, so the value has to look like a secret as well.
    name: 'named-key',
    label: '[secret]',
    pattern: new RegExp(
      `(?<keep>(?:key|sig|signature|credential|session)${SEPARATOR})${QUOTED_OR_BARE}`,
      'giu',
    ),
    pick: (value) =>
      /^.{16,}$/u.test(value) && /\d/u.test(value) && /[a-z]/iu.test(value) ? pickValue(value) : [],
    sparesExempt: true,
  },
  {
    name: 'cookie',
    label: '[secret]',
    pattern: /(?<keep>\b(?:Set-)?Cookie:\s)(?!\[)[^\s;"'<>]+=(?:[^\s;"'<>]|; |;)*/giu,
  },
]

/** The value inside its quotes. */
function pickValue(value: string, keep = ''): readonly MaskSpan[] {
  const start = /^\\*["']?/u.exec(value)?.[0].length ?? 0
  const word = value
    .slice(start)
    .replace(/[.,:!]+$/u, '')
    .toLowerCase()
  if (word === '' || /^\*+$/u.test(word) || plainWords.has(word)) return []
  // A count, as in max_token=4096.
  if (/token\W+$/iu.test(keep) && /^\d{1,5}$/u.test(word)) return []
  // The working directory in an environment.
  if (keep.endsWith('PWD=') && word.startsWith('/')) return []
  return [[start, value.length]]
}
