// The checker `soak.mjs` in a process of its own.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const soak = fileURLToPath(new URL('soak.mjs', import.meta.url))

/**
 * Starts the checker.
 *
 * @param {Record<string, string | number | true>} options as on its command line
 * @returns `finish`, which lets it come to its end and tells what it has found; throws where anything is missing or wrong
 */
export function startSoak(options) {
  const args = Object.entries(options).flatMap(([name, value]) =>
    value === true ? [`--${name}`] : [`--${name}`, String(value)],
  )
  const child = spawn(process.execPath, [soak, ...args], { stdio: ['pipe', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (output += piece))
  const closed = once(child, 'close')
  const finish = async () => {
    child.stdin.end()
    const [code] = await closed
    if (code !== 0) throw new Error(`soak.mjs ended with ${code}: ${output.trim()}`)
    return JSON.parse(output)
  }
  return { finish, kill: () => child.kill('SIGKILL') }
}
