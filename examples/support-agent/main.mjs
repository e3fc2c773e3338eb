import { parseArgs } from 'node:util'
import { createDirectorySink, renderText } from 'agent-reach'
import { DEFAULT_QUESTION, runSupportAgent } from './agent.mjs'
import { faults } from './faults.mjs'
import { DEFAULT_ENDPOINT, startTelemetry } from './telemetry.mjs'

const USAGE = `node examples/support-agent/main.mjs [options]

  --fault NAME     break one thing
  --list           show what can be broken
  --endpoint URL   where to send the spans; default $OTEL_EXPORTER_OTLP_ENDPOINT, else ${DEFAULT_ENDPOINT}
  --file PATH      append the spans to a file; they go to an endpoint as well only where one is given
  --reports DIR    the folder of the chain reports (chain-reports)
  --no-content     spans carry no prompts, answers, arguments and results; they are judged all the same
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
        reports: { type: 'string' },
        question: { type: 'string' },
        'no-content': { type: 'boolean' },
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
 * @param {{ fault?: string, endpoint?: string }} values
 * @returns {string | undefined} what is wrong
 */
function check({ fault, endpoint }) {
  if (endpoint !== undefined && !/^https?:\/\/./.test(endpoint)) return `--endpoint is no URL: ${endpoint}`
  if (fault === undefined || faults.some(({ name }) => name === fault)) return undefined
  return `unknown fault: ${fault}\n\n${faultList()}`
}

/**
 * @param {object} options
 * @param {string} [options.fault]
 * @param {string} [options.endpoint]
 * @param {string} [options.file]
 * @param {string} [options.reports]
 * @param {string} [options.question]
 * @param {boolean} [options.no-content]
 * @returns {Promise<number>}
 */
async function run({ fault, file, reports = 'chain-reports', question = DEFAULT_QUESTION, ...options }) {
  const recordContent = options['no-content'] !== true
  const endpoint = options.endpoint ?? process.env['OTEL_EXPORTER_OTLP_ENDPOINT']
  const targets = [file, endpoint ?? (file === undefined ? DEFAULT_ENDPOINT : undefined)]
  const target = targets.filter((each) => each !== undefined).join(' and ')
  /** @type {import('agent-reach').ChainReport[]} */
  const made = []
  const telemetry = await startTelemetry({ endpoint, file, reports, onReport: (report) => made.push(report) })
  let sent = true
  try {
    const task = { id: `support-${fault ?? 'healthy'}`, question }
    const { answer } = await runSupportAgent({ task, fault, recordContent })
    console.log(`${answer}\n`)
  } finally {
    // Also after a run that threw: its spans are the ones worth looking at.
    sent = await telemetry.stop().then(
      () => true,
      () => false,
    )
    for (const report of made) console.log(showReport(report, reports))
    console[sent ? 'log' : 'error'](`spans ${sent ? 'sent' : 'could not be sent'} to ${target}`)
  }
  return sent ? 0 : 1
}

/**
 * @param {import('agent-reach').ChainReport} report
 * @param {string} directory where it was written to
 */
function showReport(report, directory) {
  const file = createDirectorySink({ directory }).pathOf(report)
  return renderText(report, { file, width: 100, color: process.stdout.isTTY, ascii: false })
}

function faultList() {
  const rows = faults.map(({ name, what, node, code }) => `${name.padEnd(18)}${what} (${node}: ${code})`)
  return rows.join('\n')
}
