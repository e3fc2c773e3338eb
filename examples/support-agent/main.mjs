import { parseArgs } from 'node:util'
import { DEFAULT_QUESTION, runSupportAgent } from './agent.mjs'
import { faults } from './faults.mjs'
import { DEFAULT_ENDPOINT, startTelemetry } from './telemetry.mjs'

const USAGE = `node examples/support-agent/main.mjs [options]

  --fault NAME     break one thing
  --list           show what can be broken
  --endpoint URL   where to send the spans (${DEFAULT_ENDPOINT})
  --file PATH      append the spans to a file instead
  --question TEXT  what the customer asks
`

process.exitCode = await main()

/** @returns {Promise<number>} the exit code */
async function main() {
  const options = readOptions()
  if (typeof options === 'string') {
    console.error(`${options}\n\n${USAGE}`)
    return 2
  }
  if (options.help) console.log(USAGE)
  else if (options.list) console.log(faultList())
  else return run(options)
  return 0
}

/** @returns the options, or what is wrong with them */
function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        fault: { type: 'string' },
        endpoint: { type: 'string' },
        file: { type: 'string' },
        question: { type: 'string' },
        list: { type: 'boolean' },
        help: { type: 'boolean' },
      },
    })
    return check(values) ?? values
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/**
 * @param {{ fault?: string, endpoint?: string, file?: string }} values
 * @returns {string | undefined} what is wrong
 */
function check({ fault, endpoint, file }) {
  if (endpoint !== undefined && file !== undefined) return '--endpoint and --file exclude each other'
  if (endpoint !== undefined && !/^https?:\/\/./.test(endpoint)) return `--endpoint is no URL: ${endpoint}`
  if (fault === undefined || faults.some(({ name }) => name === fault)) return undefined
  return `unknown fault: ${fault}\n\n${faultList()}`
}

/**
 * @param {{ fault?: string, endpoint?: string, file?: string, question?: string }} options
 * @returns {Promise<number>}
 */
async function run({ fault, endpoint, file, question = DEFAULT_QUESTION }) {
  const target = file ?? endpoint ?? DEFAULT_ENDPOINT
  const telemetry = await startTelemetry({ endpoint, file })
  let sent = true
  try {
    const task = { id: `support-${fault ?? 'healthy'}`, question }
    const { answer, traceId } = await runSupportAgent({ task, fault })
    console.log(`${answer}\n\ntrace ${traceId}`)
  } finally {
    // Also after a run that threw: its spans are the ones worth looking at.
    sent = await telemetry.stop().then(
      () => true,
      () => false,
    )
    console[sent ? 'log' : 'error'](`spans ${sent ? 'sent' : 'could not be sent'} to ${target}`)
  }
  return sent ? 0 : 1
}

function faultList() {
  const rows = faults.map(({ name, what, node, code }) => `${name.padEnd(18)}${what} (${node}: ${code})`)
  return rows.join('\n')
}
