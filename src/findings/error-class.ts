import type { FindingCode } from './catalog.ts'

/** Patterns of one class of errors: of the names of error types, and of the wording of messages. */
interface ErrorClass {
  readonly code: FindingCode
  readonly types: readonly RegExp[]
  readonly messages: readonly RegExp[]
}

/** How much of a message is looked at, in UTF-16 code units: 500. What follows is mostly a stack or a quoted body. */
const MESSAGE_PART = 500

/**
 * Classes of errors, the surest first: how a call was refused says more than how it ended, and a missing thing is the
 * vaguest of all. Message patterns ask for whole phrases, since a message may quote anything.
 */
const classes: readonly ErrorClass[] = [
  {
    code: 'context_overflow',
    types: [/context_?(?:length|window)_?exceeded|prompt_?too_?long/iu],
    messages: [
      /context[ _](?:length|window)[ _]exceeded|exceed\w* (?:\w+ ){0,4}context (?:length|window|size|limit)/iu,
      /maximum context|context (?:length|window) (?:is|of) |prompt is too long|input is too long/iu,
      /max_(?:input_|output_)?tokens\b.{0,60}\bexceeds?\b|too many (?:input )?tokens/iu,
      /超(?:过|出).{0,10}上下文|上下文.{0,10}超/u,
    ],
  },
  {
    code: 'step_limit',
    types: [/GraphRecursion|max_?(?:turns|steps|iterations)|(?:turn|step|iteration)_?limit/iu],
    messages: [
      /recursion limit of \d+|recursion limit (?:reached|exceeded|hit)/iu,
      /max(?:imum)?[ _](?:number of )?(?:\w+ )?(?:steps?|turns?|iterations?)\b.{0,30}\b(?:reached|exceeded|hit)\b/iu,
      /\b(?:reached|exceeded|hit)\b.{0,20}\bmax(?:imum)?[ _](?:number of )?(?:\w+ )?(?:steps?|turns?|iterations?)\b/iu,
      /(?:step|turn|iteration) limit (?:was )?(?:reached|exceeded|hit)|(?:达到|超过)最大(?:步|轮|迭代)/iu,
    ],
  },
  {
    code: 'rate_limited',
    types: [/rate_?limit|too_?many_?requests|quota_?exceeded|throttl|resource_?exhausted|^429$/iu],
    messages: [
      ...statusPatterns('429'),
      /too many requests|rate[ _-]?limit(?:ed|s)?(?: \w+){0,2} (?:exceeded|reached|hit|error)|rate[ _-]limited/iu,
      /rate[ _-]?limit(?:error|_exceeded)|hit (?:the|your|a) rate limit|quota (?:exceeded|exhausted)/iu,
      /exceeded (?:\w+ ){0,3}(?:quota|rate limit)|insufficient_quota|resource_exhausted|throttlingexception/iu,
      /限流|请求过于频繁|频率限制|配额(?:已)?(?:用尽|不足)/u,
    ],
  },
  {
    code: 'timeout',
    types: [/time_?d?_?out|deadline_?exceeded|^(?:408|UND_ERR_\w+_TIMEOUT)$/iu],
    messages: [
      /\btimed[ -]?out\b|\bETIMEDOUT\b|deadline[ _]?exceeded|\w*Timeout(?:Error|Exception|Expired)\b/iu,
      /\btime-?out (?:of |after |: )?[\d.]+ ?(?:m?s\b|milli|sec|min)|\btime-?out (?:was )?(?:exceeded|expired|reached|waiting)/iu,
      /\b(?:request|response|connect(?:ion)?|read|write|socket|operation|command|execution|navigation) time-?out\b/iu,
      /(?:exceeded|due to|because of) (?:\w+ ){0,3}time-?out|超时|タイムアウト/iu,
    ],
  },
  {
    code: 'auth_failed',
    types: [
      /auth(?:entication|orization)?_?(?:failed|failure|error|exception)|unauthori[sz]ed|unauthenticated/iu,
      /permission_?denied|access_?denied|^PermissionError$|invalid_?api_?key|^(?:40[13]|EACCES|EPERM)$/iu,
    ],
    messages: [
      ...statusPatterns('40[13]'),
      /\bunauthori[sz]ed\b(?! import)|\bunauthenticated\b|permission denied|access (?:is )?denied/iu,
      /(?:invalid|incorrect|missing|expired|no) (?:\w+ )?(?:api[ _-]?key|access token|credentials?)\b/iu,
      /authentication (?:failed|error|required)|authenticationerror|not authori[sz]ed to|insufficient permissions?/iu,
      /\bEACCES\b|\bEPERM\b|未(?:经)?授权|无权限|权限不足|(?:鉴权|认证)失败/u,
    ],
  },
  {
    code: 'service_error',
    types: [
      /service_?unavailable|internal_?server_?error|bad_?gateway|overloaded|api_?connection_?error|^5\d\d$/iu,
      /^E(?:CONNREFUSED|CONNRESET|CONNABORTED|NOTFOUND|AI_AGAIN|PIPE|HOSTUNREACH|NETUNREACH)$|^Connection\w*Error$/u,
    ],
    messages: [
      ...statusPatterns('5\\d\\d'),
      /\bE(?:CONNREFUSED|CONNRESET|CONNABORTED|NOTFOUND|AI_AGAIN|HOSTUNREACH|NETUNREACH)\b|socket hang up/u,
      /\boverloaded(?:_error)?\b|service (?:is )?(?:temporarily )?unavailable|bad gateway|gateway time-?out/iu,
      /internal server error|connection (?:was )?(?:refused|reset|aborted)|name or service not known|max retries exceeded/iu,
      /服务(?:暂时)?不可用|服务器(?:内部)?错误/u,
    ],
  },
  {
    code: 'not_found',
    types: [/^(?:404|ENOENT)$|(?<!tool|module|class)_?not_?found|no_?such_?(?:file|key|bucket|entity)/iu],
    messages: [
      ...statusPatterns('404'),
      /\bENOENT\b|no such file or directory|filenotfounderror|\bcommand not found\b/iu,
      /^(?!.*\b(?:tool|function|module|attribute|pattern|regex|variable)\b).*\b(?:does not|doesn't|do not) exist\b/isu,
      /^(?!.*\b(?:tool|function|module|attribute|pattern|regex|variable)\b).*\b(?:not|could not be) found(?: at\b|[.!:]|$)/imu,
      /不存在|(?:未|没有?)找到/u,
    ],
  },
]

/**
 * Where a number stands as a status code: at the start of a message, after a word such as `status` or `HTTP`, after
 * `error` if nothing is counted by it, or before `Client Error`.
 *
 * @param code a pattern of the number
 */
function statusPatterns(code: string): readonly RegExp[] {
  return [
    new RegExp(`^\\W*${code}\\b(?![.,]?\\d)`, 'u'),
    new RegExp(
      `\\b(?:status(?: ?code)?|code|https?(?:/[\\d.]+)?)\\b[^\\w\\n]{0,4}(?:is |of |error )?${code}\\b`,
      'iu',
    ),
    new RegExp(`\\b[Ee]rror(?: code)?[ :#=(]{1,3}${code}(?=\\s*(?:$|[^\\sa-z\\d]))`, 'u'),
    new RegExp(`\\b${code} (?:client|server) error\\b`, 'iu'),
  ]
}

/**
 * Tells what class of error a step ended with, from the name of its type first, then from the first 500 characters
 * of its message.
 *
 * @param type the recorded type (`TimeoutError`, `ETIMEDOUT`, `429`), or `null`
 * @returns the finding code of the class, or `null` where neither tells one
 */
export function classifyError(type: string | null, message: string): FindingCode | null {
  if (type !== null) {
    const name = type.slice(0, MESSAGE_PART)
    const byType = classes.find(({ types }) => types.some((pattern) => pattern.test(name)))
    if (byType !== undefined) return byType.code
  }
  const text = message.slice(0, MESSAGE_PART)
  return classes.find(({ messages }) => messages.some((pattern) => pattern.test(text)))?.code ?? null
}
