// Receives webhooks for all of 127.0.0.0/8 on one port: below 127.1.0.0 it answers 200 immediately, above it never answers.
// At each message it sends home what arrived since: the transaction's id and the time of each.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const TRANSACTION_ID = /"transactionId":"([0-9a-f-]{36})"/
let arrivals: [string, number][] = []

const server = createServer((incoming, outgoing) => {
  const nowMs = performance.timeOrigin + performance.now()
  if (!(incoming.socket.localAddress ?? '').startsWith('127.0.')) return void incoming.resume()
  let body = ''
  incoming.setEncoding('latin1')
  incoming.on('data', (chunk: string) => {
    body += chunk
  })
  incoming.on('end', () => {
    const transactionId = TRANSACTION_ID.exec(body)?.[1]
    if (transactionId) arrivals.push([transactionId, nowMs])
    outgoing.writeHead(200, ['Content-Length', '0'])
    outgoing.end()
  })
})
server.keepAliveTimeout = 30_000
server.listen({ port: 0, host: '0.0.0.0', backlog: 4_096 }, () => {
  // An http server that listens on a port has such an address.
  process.send?.((server.address() as AddressInfo).port)
})
process.on('message', () => {
  process.send?.(arrivals)
  arrivals = []
})
process.once('disconnect', () => process.exit())
