import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { makeCertificates } from '#server/operators/testing/connectors/certificates.ts'
import { makeSender } from '../testing/senders.ts'
import { closeEverything } from '../testing.ts'

const pem = makeCertificates()
/** The names that clients asked for, and the requests that arrived. */
const names: string[] = []
let requests = 0
const receiver = createServer(
  {
    cert: pem.server,
    key: pem.serverKey,
    SNICallback: (name, done) => {
      names.push(name)
      done(null)
    },
  },
  (_, response) => {
    requests++
    response.end()
  },
)
let port = 0
before(async () => {
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  // Not a pipe: it listens on a host.
  port = (receiver.address() as AddressInfo).port
})
after(() => {
  closeEverything()
  receiver.closeAllConnections()
  receiver.close()
})

const authorities = [pem.authority]
const DEADLINE_MS = 10_000

test('delivered over TLS to a receiver whose certificate names its address and comes from an authority that is trusted', async () => {
  const sender = makeSender({ authorities, deadlineMs: DEADLINE_MS })
  assert.equal((await sender.send(`https://127.0.0.1:${port}/`, {}, '{}')).outcome, 'delivered')
  assert.deepEqual([requests, names], [1, []])
})

test('tls_error, and no request, for a certificate of another authority and for one of another name, whose host was asked for by name', async () => {
  const before = requests
  const stranger = makeSender({ deadlineMs: DEADLINE_MS })
  assert.equal((await stranger.send(`https://127.0.0.1:${port}/`, {}, '{}')).outcome, 'tls_error')
  const sender = makeSender({ authorities, deadlineMs: DEADLINE_MS })
  assert.equal((await sender.send(`https://localhost:${port}/`, {}, '{}')).outcome, 'tls_error')
  assert.deepEqual([requests, names], [before, ['localhost']])
})
