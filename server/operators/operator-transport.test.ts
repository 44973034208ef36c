import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, connect, type Server } from 'node:net'
import { after, before, test } from 'node:test'
import type { TLSSocket } from 'node:tls'
import { makeCertificates } from '#server/operators/testing/connectors/certificates.ts'
import { createOperatorHttpClient, type OperatorTransport } from './operator-http-client.ts'

const pem = makeCertificates()
const OURS: OperatorTransport = { clientCertificate: pem.client, clientKey: pem.clientKey, caCertificate: pem.authority }

/** Refuses the handshake of a client without a certificate of the private authority. */
const operator = createSecureServer(
  { cert: pem.server, key: pem.serverKey, ca: pem.authority, requestCert: true, rejectUnauthorized: true },
  (request, response) => response.end((request.socket as TLSSocket).getPeerCertificate().subject.CN),
)
/** The hosts to which the proxy was asked to connect. */
const tunnels: string[] = []
const proxy = createServer((_, response) => response.writeHead(405).end()).on('connect', (request, client, head) => {
  tunnels.push(request.url ?? '')
  const [host = '', port = ''] = (request.url ?? '').split(':')
  const upstream = connect(Number(port), host, () => {
    client.write('HTTP/1.1 200 Connection established\r\n\r\n')
    upstream.write(head)
    upstream.pipe(client).pipe(upstream)
  })
  upstream.on('error', () => client.destroy())
  client.on('error', () => upstream.destroy())
})

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // Not a pipe: it listens on a host.
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

let operatorAt = ''
let proxyAt = ''
before(async () => {
  operatorAt = await listen(operator)
  proxyAt = await listen(proxy)
})
after(() => {
  operator.closeAllConnections()
  operator.close()
  proxy.closeAllConnections()
  proxy.close()
})

async function call(transport: OperatorTransport, writeBeforeMs?: number) {
  const client = createOperatorHttpClient(`https://${operatorAt}/api`, 2, transport)
  const outcome = await client.call({ method: 'POST', path: '/pay', headers: {}, body: '{}', timeoutMs: 5_000, writeBeforeMs })
  await client.close()
  return outcome
}

test('answered by an operator of a private authority that demands our certificate', async () => {
  assert.deepEqual(await call(OURS), { kind: 'answered', httpStatus: 200, body: 'client' })
})

test('lost, never answered, without the authority, or without our certificate', async () => {
  const unknownAuthority = await call({ ...OURS, caCertificate: undefined })
  assert.deepEqual([unknownAuthority.kind, unknownAuthority.kind === 'lost' && unknownAuthority.wasWritten], ['lost', false])
  assert.equal((await call({ caCertificate: pem.authority })).kind, 'lost')
})

test('through a tunnel of the proxy, with our certificate and the private authority; not written after the end of its submission', async () => {
  const through = { ...OURS, httpProxy: `http://${proxyAt}` }
  assert.deepEqual(await call(through), { kind: 'answered', httpStatus: 200, body: 'client' })
  assert.deepEqual(tunnels, [operatorAt])
  const late = await call(through, performance.now())
  assert.deepEqual([late.kind, late.kind === 'lost' && late.wasWritten], ['lost', false])
})

test('not sent while the proxy is down', async () => {
  const outcome = await call({ ...OURS, httpProxy: 'http://127.0.0.1:1' })
  assert.deepEqual([outcome.kind, outcome.kind === 'lost' && outcome.wasWritten], ['lost', false])
})
