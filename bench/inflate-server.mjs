// The least that a receiver of compressed requests does: inflates each body off the main thread, and answers 200.
import { createServer } from 'node:http'
import { gunzip } from 'node:zlib'

const server = createServer((request, response) => {
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    gunzip(Buffer.concat(chunks), { chunkSize: 1024 * 1024 }, (error) => {
      response.writeHead(error ? 400 : 200, { 'content-type': 'application/x-protobuf' }).end()
    })
  })
})
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))
