import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import type { Connector, StatusEnquiry, Submission } from '#server/operators/connector.ts'
import type { ConnectorContext } from '#server/operators/settings/protocol.ts'
import { aConnectorContext, keepNothing, tokensInMemory } from './connectors/connector-context.ts'

/** The facts about a protocol that the suite needs. */
type ProtocolUnderTest = {
  name: string
  connect(baseUrl: string, context: ConnectorContext): Connector
  submission: Submission
  /** Answers the calls before the one that moves money or asks for a status (tokens, init); false for that one itself. */
  prepare(request: IncomingMessage, response: ServerResponse): boolean
  /** A whole answer to a status enquiry about another reference. */
  aboutAnotherReference(response: ServerResponse): void
  /** Submissions are answered with the result, and there are no queries. */
  hasNoQueries?: boolean
  /** A whole answer that ends `submission` as failed, with this text where the operator's reason is. */
  failedWith(text: string, response: ServerResponse): void
}

type Behaviour = (request: IncomingMessage, response: ServerResponse) => void

const HASTE_MS = 300

/** Behaviour that only a deadline ends: a short one, so that the tests are. */
const ENDLESS_RESPONSES: readonly (readonly [string, Behaviour])[] = [
  ['silence until the deadline', () => undefined],
  ['an answer that never ends', (_, response) => void response.writeHead(200).write('{')],
]

/** Answers that say nothing about the outcome. They come when they come: a busy machine must not end the call first. */
const LOST_RESPONSES: readonly (readonly [string, Behaviour])[] = [
  ['a connection that is reset before the request was read', (request) => request.socket.resetAndDestroy()],
  [
    'a connection that is reset after the request was read',
    (request) => void request.resume().on('end', () => request.socket.resetAndDestroy()),
  ],
  [
    'a connection that ends in the middle of the answer',
    (_, response) => void response.writeHead(200, { 'content-length': '100' }).write('{', () => response.destroy()),
  ],
  ['HTTP 500 with an empty body', (_, response) => void response.writeHead(500).end()],
  ['HTTP 502 of a proxy', (_, response) => void response.writeHead(502, { 'content-type': 'text/html' }).end('<html>Bad Gateway</html>')],
  ['HTTP 503 of a proxy', (_, response) => void response.writeHead(503).end('{"message":"busy"}')],
  ['HTTP 429', (_, response) => void response.writeHead(429).end('{"statusCode":429,"message":"Rate limit is exceeded"}')],
  ['HTTP 404 of a proxy', (_, response) => void response.writeHead(404).end('<html>Not Found</html>')],
  ['a redirect', (_, response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
  ['HTTP 200 with text that is not a message of the protocol', (_, response) => void response.writeHead(200).end('{"status":')],
  ['HTTP 200 with an empty body', (_, response) => void response.writeHead(200).end()],
  ['an answer that is too long', (_, response) => void response.writeHead(200).end(`{"x":"${'y'.repeat(100_000)}"}`)],
]

/** Every way of losing a response, for each protocol: registers one test for each. */
export function testLostResponses(protocol: ProtocolUnderTest): void {
  const { name, submission } = protocol
  const query: StatusEnquiry = submission
  let server: Server
  let connector: Connector
  let hasty: Connector
  let behave: Behaviour = (_, response) => response.end()
  let url = ''

  before(async () => {
    server = createServer((request, response) => {
      if (!protocol.prepare(request, response)) behave(request, response)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    // Not a pipe: it listens on a host.
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const tokens = tokensInMemory()
    connector = protocol.connect(url, aConnectorContext({ tokens }))
    hasty = protocol.connect(url, aConnectorContext({ tokens, submitTimeoutMs: HASTE_MS, queryTimeoutMs: HASTE_MS }))
    // The token is there before any response is lost.
    await connector.query(query)
  })
  after(async () => {
    await Promise.all([connector.close(), hasty.close()])
    server.closeAllConnections()
    server.close()
  })

  for (const [what, behaviour] of [...ENDLESS_RESPONSES, ...LOST_RESPONSES]) {
    test(`${name}: unknown, never failed, for ${what}`, async () => {
      behave = behaviour
      const asked = ENDLESS_RESPONSES.some(([endless]) => endless === what) ? hasty : connector
      assert.equal((await asked.submit(submission, keepNothing)).kind, 'unknown')
      assert.equal((await asked.query(query)).kind, 'unknown')
    })
  }

  test(`${name}: not_sent for a submission, and unknown for a query, if nothing listens`, async () => {
    const nobody = protocol.connect('http://127.0.0.1:1', aConnectorContext())
    assert.equal((await nobody.submit(submission, keepNothing)).kind, 'not_sent')
    assert.equal((await nobody.query(query)).kind, 'unknown')
    await nobody.close()
  })

  test(`${name}: not_sent, and no call that moves money, for a submission whose lease has ended`, async () => {
    let calls = 0
    behave = (_, response) => {
      calls++
      response.writeHead(500).end()
    }
    const outcome = await connector.submit({ ...submission, writeBeforeMs: performance.now() - 1 }, keepNothing)
    assert.deepEqual([outcome.kind, calls], ['not_sent', 0])
  })

  test(`${name}: unknown for an answer about another reference`, async () => {
    behave = (_, response) => protocol.aboutAnotherReference(response)
    assert.equal((await connector.query(query)).kind, 'unknown')
  })

  test(`${name}: failed with the generic text for a reason that is not in the table, regardless of its content`, async () => {
    for (const text of ['A_NEW_REASON', 'with\u0000control\u001b[2Jcharacters\ud800', '', 'toString', 'x'.repeat(5_000)]) {
      behave = (_, response) => protocol.failedWith(text, response)
      const outcome = await (protocol.hasNoQueries ? connector.submit(submission, keepNothing) : connector.query(query))
      assert.equal(outcome.kind, 'failed')
      assert.equal(outcome.kind === 'failed' ? outcome.reason : '', 'Transaction refusée')
    }
  })
}
