/**
 * A span as Jaeger shows it.
 *
 * @typedef {object} JaegerSpan
 * @property {string} id in hexadecimal
 * @property {string} name of the operation
 * @property {boolean} isRed whether the page shows it as failed
 * @property {Record<string, unknown>} tags attributes, and what Jaeger adds; arrays as JSON text
 * @property {Record<string, unknown>[]} events their fields; `event` is the name
 */

/**
 * Reads a trace as Jaeger has it stored: copies of a span, which its page leaves out, are in it.
 *
 * @param {string} url of the page
 * @param {string} traceId
 * @returns {Promise<JaegerSpan[] | null>} `null` where Jaeger does not have it
 */
export async function readJaegerTrace(url, traceId) {
  const answer = await fetch(`${url}/api/traces/${traceId}?raw=true`)
  if (answer.status === 404) return null
  const { data, errors } = await answer.json()
  if (!answer.ok) throw new Error(`Cannot read a trace of Jaeger: ${answer.status} ${JSON.stringify(errors)}`)
  return data.flatMap(({ spans }) => spans.map(toSpan))
}

function toSpan({ spanID, operationName, tags, logs }) {
  const fields = toRecord(tags)
  return {
    id: spanID,
    name: operationName,
    isRed: fields['error'] === true,
    tags: fields,
    events: logs.map((log) => toRecord(log.fields)),
  }
}

const toRecord = (pairs) => Object.fromEntries(pairs.map(({ key, value }) => [key, value]))
