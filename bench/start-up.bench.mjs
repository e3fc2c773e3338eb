// Measures what a program pays at its start for agent-reach: whole processes in turn, one that loads the OpenTelemetry
// SDK alone and one that also loads agent-reach and makes its processor. What counts is the median of the ratios of
// the pairs; a pair of two alike stands beside it to show the noise of the machine.
//
//   node bench/start-up.bench.mjs [--rounds 21] [--root DIR]
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '21' },
    root: { type: 'string', default: join(import.meta.dirname, '..') },
  },
})
const rounds = Number(values.rounds)

const load = {
  commonjs: (name, specifier) => `const ${name} = require('${specifier}')`,
  module: (name, specifier) => `import * as ${name} from '${specifier}'`,
}

function toPrograms(type) {
  // `_rawDebug`, since every other way out would load modules of Node that agent-reach may load, too.
  const tell = [
    `process.on('exit', () => {`,
    '  const { userCPUTime, systemCPUTime } = process.resourceUsage()',
    '  process._rawDebug(String((userCPUTime + systemCPUTime) / 1_000))',
    '})',
  ]
  const sdk = load[type]('sdk', '@opentelemetry/sdk-trace-node')
  const agentReach = load[type]('agentReach', 'agent-reach')
  const alone = [...tell, sdk, 'new sdk.NodeTracerProvider()']
  const both = [
    ...tell,
    sdk,
    agentReach,
    'const { AgentReachProcessor } = agentReach',
    'const spanProcessors = AgentReachProcessor === undefined ? [] : [new AgentReachProcessor()]',
    'new sdk.NodeTracerProvider({ spanProcessors })',
  ]
  return { alone: alone.join('\n'), both: both.join('\n') }
}

/** Runs a program in a process of its own and tells how long it lived and what CPU time it took. */
function measure(type, program) {
  return new Promise((resolve, reject) => {
    const started = performance.now()
    const child = spawn(process.execPath, [`--input-type=${type}`, '--eval', program], {
      cwd: values.root,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let told = ''
    child.stderr.on('data', (chunk) => (told += chunk))
    child.on('error', reject)
    child.on('close', (code) => {
      const wallMs = performance.now() - started
      if (code === 0) resolve({ cpuMs: Number(told), wallMs })
      else reject(new Error(`A program ended with ${code}: ${told}`))
    })
  })
}

const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]

/** Which of the two comes first changes with every pair. */
async function measurePair(type, [first, second], swapped) {
  if (!swapped) return [await measure(type, first), await measure(type, second)]
  const later = await measure(type, second)
  return [await measure(type, first), later]
}

async function compare(type) {
  const { alone, both } = toPrograms(type)
  await measure(type, both)
  const pairs = []
  const alike = []
  for (let n = 0; n < rounds; n++) {
    pairs.push(await measurePair(type, [alone, both], n % 2 === 1))
    alike.push(await measurePair(type, [alone, alone], n % 2 === 1))
  }
  const ratio = (list, field) => median(list.map(([a, b]) => b[field] / a[field])).toFixed(3)
  const added = (field) => median(pairs.map(([a, b]) => b[field] - a[field])).toFixed(1)
  const base = (field) => median(pairs.map(([a]) => a[field])).toFixed(0)
  process.stdout.write(
    `${type.padEnd(8)}  SDK + agent-reach / SDK  wall ${ratio(pairs, 'wallMs')}x  CPU ${ratio(pairs, 'cpuMs')}x  ` +
      `(+${added('wallMs')} ms on ${base('wallMs')} ms wall, +${added('cpuMs')} ms on ${base('cpuMs')} ms CPU; ` +
      `SDK / SDK  wall ${ratio(alike, 'wallMs')}x  CPU ${ratio(alike, 'cpuMs')}x)\n`,
  )
}

await compare('commonjs')
await compare('module')
