/** How much of the start of a text may hold the word that makes it an error, in UTF-16 code units: 200. */
const START = 200

/** How much of the end of a text is searched for the line that ends a traceback, in UTF-16 code units: 2,000. */
const END = 2_000

/** Quotes and brackets that may stand before the first word. */
const OPENING = String.raw`^[\s"'\x60*[({<>❌✗⚠️]*`

/** How texts begin that are an error and nothing else. */
const beginnings: readonly RegExp[] = [
  /(?:fatal |internal |unexpected |tool |execution )*(?:error|exception)\b ?(?:\([^()]{0,40}\)|\[[^[\]]{0,40}\])?["'*\])}]{0,3}:/iu,
  /(?:fatal|panic): /u,
  /ERROR\b["'*\])}]{0,3}(?:$|[^\w\s])/u,
  /Error (?:executing|calling|running|invoking|fetching|reading|writing|opening|loading|parsing|processing)\b/iu,
  /Error (?:connecting|retrieving|getting|searching|creating|updating|while|during|occurred|code|\d{3}\b)/iu,
  /(?:an?|the following|there was an?) (?:[a-z]+ ){0,2}(?:error|exception) (?:has )?(?:occurred|while|during|when)/iu,
  /Traceback \(most recent call last\)/u,
  /HTTP(?:\/[\d.]+)?(?: error| status(?: code)?)?:? [45]\d\d\b/iu,
  /(?:[A-Za-z_$][\w$]*\.)*[A-Z][\w$]*(?:Error|Exception)(?: ?[[(][\w.-]{1,40}[\])])?: /u,
  /(?:[\w-]+[_-])?error>/iu,
].map(({ source, flags }) => new RegExp(OPENING + `(?:${source})`, flags))

/** How a short text begins that says only what did not work. */
const SHORT_FAILURE = new RegExp(`${OPENING}failed to \\w+`, 'iu')
const SHORT = 500

/** The title or status of a fetched page that is itself an error page. */
const ERROR_PAGE =
  /^(?:page )?(?:title|status)\s*:\s*(?:error|access denied|(?:http )?(?:error )?[45]\d\d\b.{0,60})\s*$/imu

const PYTHON_TRACEBACK = 'Traceback (most recent call last):'
const PYTHON_LAST_LINE = /^[A-Za-z_][\w.]*(?::|$)/u
const JAVASCRIPT_FRAME = /^\s+at .{1,300}:\d+:\d+\)?$/u
const JAVASCRIPT_ERROR = /^(?:Uncaught )?(?:[\w$]+\.)*[\w$]*Error(?: \[\w+\])?(?::|$)/mu

/**
 * Finds what makes a text an error: how it begins, or the traceback it ends with. A text that only mentions errors is
 * none.
 *
 * @returns the part that says so, or `null`
 */
export function findErrorInText(text: string): string | null {
  const start = text.slice(0, START)
  if (beginnings.some((pattern) => pattern.test(start))) return text.trim()
  if (text.length <= SHORT && SHORT_FAILURE.test(text)) return text.trim()
  const page = ERROR_PAGE.exec(text.slice(0, SHORT))
  if (page !== null) return page[0]
  return findTraceback(text)
}

function findTraceback(text: string): string | null {
  const lines = text.slice(-END).trimEnd().split('\n')
  const last = lines.at(-1) ?? ''
  if (text.includes(PYTHON_TRACEBACK)) {
    const followsFrame = lines.at(-2)?.startsWith(' ') === true
    return followsFrame && PYTHON_LAST_LINE.test(last) ? last : null
  }
  const inFrames = JAVASCRIPT_FRAME.test(last) || /^Node\.js v\d/u.test(last)
  if (!inFrames || !lines.some((line) => JAVASCRIPT_FRAME.test(line))) return null
  return lines.findLast((line) => JAVASCRIPT_ERROR.test(line)) ?? null
}
