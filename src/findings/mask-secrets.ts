import type { MaskRow, MaskSpan } from './mask-row.ts'

/** Secrets that are known by their form or by the place where they stand. An end that is not seen is no reprieve. */
export const secretMasks: readonly MaskRow[] = [
  {
    name: 'private-key',
    label: '[secret]',
    pattern: /-----BEGIN [A-Z\d ]{0,40}PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z\d ]{0,50}-----|$)/gu,
  },
  {
    // A port with a path after it is no password: http://host:4873/@scope/name.
    name: 'url-password',
    label: '[secret]',
    pattern:
      /(?<keep>:\/\/[^\s/?#:@"'<>]{0,128}:)(?!\d{1,5}\/)(?:[^\s"'<>/?#]+(?=@)|[^\s"'<>@]+(?=@)|[^\s"'<>/?#]{200,})/gu,
  },
  {
    name: 'source-name-password',
    label: '[secret]',
    pattern:
      /(?<![\w.-])(?<keep>[\w.-]{1,64}:)[^\s:@/"'<>]{1,128}(?=@(?:(?:tcp|unix)\(|localhost\b|\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b|[\w.-]{1,255}\.[a-z]{2,24}(?::\d|\/)))/giu,
  },
  {
    name: 'authorization-scheme',
    label: '[secret]',
    pattern: /(?<keep>\b(?:Bearer|Basic)\s)[\w.~+/=-]{8,}/giu,
    // Basic authentication, bearer token-based.
    pick: (value) => (/^[A-Za-z]?[a-z-]{0,22}[.,]?$/u.test(value) ? [] : whole(value)),
  },
  {
    name: 'issued-key',
    label: '[secret]',
    pattern:
      /(?<![A-Za-z\d])(?:gh[pousr]_[A-Za-z\d]{16,}|github_pat_\w{16,}|xox[a-z]-[\w-]{10,}|xapp-[\w-]{10,}|A(?:KI|SI|BI|CC)A[A-Z\d]{12,}|AIza[\w-]{20,}|ya29\.[\w-]{20,}|glpat-[\w-]{16,}|npm_[A-Za-z\d]{20,}|hf_[A-Za-z\d]{16,}|pypi-[\w-]{20,}|SG\.[\w-]{16,}[\w.-]*)/gu,
  },
  {
    name: 'service-key',
    label: '[secret]',
    pattern: /(?<![A-Za-z\d])(?:[spr]k|whsec)[-_][\w-]{12,}/gu,
    // pk-lookup-failed-again.
    pick: (value) => (/\d|[a-z][A-Z]/u.test(value) || value.length >= 28 ? whole(value) : []),
  },
  { name: 'jwt', label: '[secret]', pattern: /(?<![A-Za-z\d])eyJ[\w-]{8,}\.[\w-]{4,}[\w.-]*/gu },
]

/** Secrets that are known by nothing but how random they look. Other rows have a better name for what they find. */
export const randomMasks: readonly MaskRow[] = [
  {
    name: 'long-hex',
    label: '[secret]',
    pattern: /(?<![A-Za-z\d])[A-Fa-f\d]{32,}(?![A-Za-z\d])/gu,
    pick: (value) => (new Set(value).size >= 6 ? whole(value) : []),
    sparesExempt: true,
  },
  {
    name: 'long-base64',
    label: '[secret]',
    pattern: /(?<![A-Za-z\d+/_-])[A-Za-z\d+/_-]{32,}={0,2}/gu,
    pick: (value) => (looksRandom(value) ? whole(value) : []),
    sparesExempt: true,
  },
]

/** Random text changes between digits, small and capital letters all the time; names, paths and slugs seldom do. */
function looksRandom(value: string): boolean {
  const kinds = value
    .replace(/[+/_=-]+/gu, '')
    .replace(/[a-z]/gu, 'a')
    .replace(/[A-Z]/gu, 'A')
    .replace(/\d/gu, '0')
  const changes = kinds.length - kinds.replace(/(.)\1+/gu, '$1').length
  const digits = kinds.replace(/[^0]/gu, '').length
  const rate = 1 - changes / kinds.length
  return (rate >= 0.4 && digits >= 2) || (rate >= 0.25 && digits >= kinds.length / 8)
}

function whole(value: string): readonly MaskSpan[] {
  return [[0, value.length]]
}
