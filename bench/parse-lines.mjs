// The yardstick of the report benchmark: reads a file line by line and parses each line, nothing else.
//
//   node bench/parse-lines.mjs FILE
import { createReadStream } from 'node:fs'

let pending = []
let documents = 0

function parse(bytes) {
  if (bytes.length === 0) return
  JSON.parse(bytes.toString('utf8'))
  documents++
}

for await (const chunk of createReadStream(process.argv[2], { highWaterMark: 1024 * 1024 })) {
  let start = 0
  for (let end = chunk.indexOf(10, start); end !== -1; end = chunk.indexOf(10, start)) {
    const tail = chunk.subarray(start, end)
    parse(pending.length === 0 ? tail : Buffer.concat([...pending, tail]))
    pending = []
    start = end + 1
  }
  if (start < chunk.length) pending.push(chunk.subarray(start))
}
parse(Buffer.concat(pending))
process.stdout.write(`${documents} documents\n`)
