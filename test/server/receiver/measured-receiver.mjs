import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { HttpServer } from '../../../src/server/http/http-server.ts'
import { TraceReceiver } from '../../../src/server/receive-traces.ts'

// A receiver in a process of its own, which keeps nothing. It tells its port, and for each line that comes its memory.

const receiver = new TraceReceiver({
  intake: { take: async () => new Promise((resolve) => setTimeout(resolve, 5)) },
  random: () => 0,
})
const server = new HttpServer({ routes: receiver.routes, port: 0, log: () => undefined, random: () => 0 })
const { port } = await server.listen()
console.log(port)
for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'stop') break
  // The peak that the system tells of a process is that of its parent where that was higher.
  const [, peakKib] = /VmHWM:\s+(\d+) kB/u.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
  console.log(Number(peakKib) * 1024)
}
await server.close(1_000)
process.exit(0)
