// A bare node:http server that reads a JSON body and sends it back: what HTTP alone costs on this machine.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const server = createServer((incoming, outgoing) => {
  const chunks: Buffer[] = []
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
  incoming.on('end', () => {
    const body = JSON.stringify(JSON.parse(Buffer.concat(chunks).toString()))
    outgoing.writeHead(200, ['Content-Type', 'application/json', 'Content-Length', String(Buffer.byteLength(body))])
    outgoing.end(body)
  })
})
server.listen(0, '127.0.0.1', () => {
  // An http server that listens on a port has such an address.
  process.send?.((server.address() as AddressInfo).port)
})
process.once('disconnect', () => process.exit())
