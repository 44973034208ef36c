import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, afterEach, before, test } from 'node:test'
import { createLogger } from '#server/logger.ts'
import type { Connector, Submission } from '#server/operators/connector.ts'
import { guardConnector } from '#server/operators/guard-connector.ts'
import { aConnectorContext, keepNothing } from '#server/operators/testing/connectors/connector-context.ts'
import { createSonatelConnector } from './sonatel-connector.ts'
import { aSonatelSubmission, sonatelSettings } from './testing.ts'

const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
const KEY = publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
const START_MS = Date.parse('2026-03-01T10:00:00Z')

let server: Server
let url = ''
let calls: string[] = []
let keyContentTypes: (string | undefined)[] = []
let nowMs = START_MS
const connectors: Connector[] = []
let answer: (request: IncomingMessage, response: ServerResponse, body: string) => void = (_, response) => response.end()

before(async () => {
  server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    if (request.url === '/oauth/v1/token') return say(response, 200, { access_token: 'token', expires_in: 300 })
    if (request.url === '/api/account/v1/publicKeys') {
      keyContentTypes.push(request.headers['content-type'])
      return say(response, 200, { key: KEY })
    }
    calls.push(String(request.url?.split('/').at(-1)))
    answer(request, response, body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  // Not a pipe: it listens on a host.
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(() => {
  calls = []
  keyContentTypes = []
  nowMs = START_MS
})
after(async () => {
  await Promise.all(connectors.map((connector) => connector.close()))
  server.closeAllConnections()
  server.close()
})

function connect(settings: Record<string, unknown> = {}): Connector {
  const clock = { now: () => new Date(nowMs) }
  const connector = createSonatelConnector(aConnectorContext({ operator: 'SNOM', clock }), sonatelSettings(url, settings))
  connectors.push(connector)
  return connector
}

function say(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** The facts of an outcome, in one line. */
function factsOf(outcome: {
  kind: string
  reason?: string
  operatorCode?: string | undefined
  operatorReference?: string | undefined
}): string {
  return [outcome.kind, outcome.reason, outcome.operatorCode, outcome.operatorReference].filter(Boolean).join(' ')
}

for (const [status, body, expected] of [
  [200, { transactionId: 'MP1', status: 'SUCCESS' }, 'succeeded MP1'],
  [200, { transactionId: 'MP1', status: 'ACCEPTED' }, 'accepted MP1'],
  [201, { transactionId: 'MP1', status: 'A_NEW_STATUS' }, 'accepted MP1'],
  [200, { transactionId: 'MP1', status: 'CANCELLED' }, 'failed Transaction annulée par le client CANCELLED MP1'],
  [200, { transactionId: 'MP1', status: 'FAILED' }, 'failed Transaction refusée FAILED MP1'],
  [200, { transactionId: 'MP1', status: 'SUCCESS', reference: 'another' }, 'unknown'],
  [400, { code: '2000' }, 'failed Compte non inscrit 2000'],
  [400, { code: 2001 }, 'failed Numéro invalide 2001'],
  [400, { code: '2020' }, 'failed Solde insuffisant 2020'],
  [403, { code: '2043' }, 'failed Transaction refusée 2043'],
  [400, { code: '4004' }, 'failed Timeout opérateur 4004'],
  [200, { transactionId: null, status: 'SUCCESS', code: null }, 'succeeded'],
  [200, { transactionId: 'MP1', status: 'PRE_INITIATED' }, 'accepted MP1'],
  [422, { code: '9876' }, 'unknown'],
  [400, { code: '2050' }, 'wrong_code 2050'],
  [400, { code: '4003' }, 'not_sent'],
  [500, { code: '2000' }, 'unknown'],
  [403, { code: '9876' }, 'unknown'],
  [429, { code: '9876' }, 'unknown'],
  [400, {}, 'unknown'],
] as const) {
  test(`${expected} for a payment that is answered with HTTP ${status} ${JSON.stringify(body)}`, async () => {
    answer = (_, response) => say(response, status, body)
    assert.equal(factsOf(await connect({ wrongCodes: ['2050'] }).submit(aSonatelSubmission(), keepNothing)), expected)
  })
}

for (const [found, expected] of [
  [[], 'not_found'],
  [[{ status: 'INITIATED' }], 'pending'],
  [[{ status: 'PRE_INITIATED' }], 'pending'],
  [
    [
      { status: 'FAILED', code: '2020' },
      { status: 'SUCCESS', transactionId: 'MP2' },
    ],
    'succeeded MP2',
  ],
  [[{ status: 'FAILED' }, { status: 'PENDING' }], 'pending'],
  [[{ status: 'REJECTED', transactionId: 'MP2' }], 'failed Transaction annulée par le client REJECTED MP2'],
  [[{ status: 'FAILED', code: '2050' }], 'not_found'],
  [[{ status: 'SUCCESS', reference: 'another' }], 'unknown'],
  // Two payments of one reference, whose amounts are not known.
  [
    [
      { status: 'SUCCESS', transactionId: 'MP1' },
      { status: 'SUCCESS', transactionId: 'MP2' },
    ],
    'unknown',
  ],
  [{ status: 'SUCCESS' }, 'unknown'],
] as const) {
  test(`${expected} for a search that finds ${JSON.stringify(found)}`, async () => {
    const submission = aSonatelSubmission()
    const { reference } = submission
    const body = Array.isArray(found) ? found.map((transaction: object) => ({ reference, ...transaction })) : found
    answer = (_, response) => say(response, 200, body)
    assert.equal(factsOf(await connect({ wrongCodes: ['2050'] }).query(submission)), expected)
  })
}

test('unknown for a search that finds nothing, unless it was agreed that it shows everything; not_found for a QR code, which nobody got', async () => {
  answer = (_, response) => say(response, 200, [])
  const believesEmptySearches = false
  assert.equal((await connect({ believesEmptySearches }).query(aSonatelSubmission())).kind, 'unknown')
  assert.equal((await connect({ believesEmptySearches, collectBy: 'qr' }).query(aSonatelSubmission())).kind, 'not_found')
  // A submission that never left is repeated all the same.
  answer = (request, response) => say(response, 200, request.method === 'GET' ? [] : { status: 'SUCCESS', transactionId: 'MP1' })
  const repeated = aSonatelSubmission({ isRepeated: true })
  assert.equal((await connect({ believesEmptySearches }).submit(repeated, keepNothing)).kind, 'succeeded')
})

test('a repeated submission looks for the first one, and sends nothing unless Sonatel knows nothing', async () => {
  const submission = aSonatelSubmission({ isRepeated: true })
  const { reference } = submission
  const connector = connect()
  for (const [found, expected] of [
    [[{ reference, status: 'PENDING', transactionId: 'MP1' }], 'accepted MP1'],
    [[{ reference, status: 'SUCCESS', transactionId: 'MP1' }], 'succeeded MP1'],
    [{}, 'not_sent'],
  ] as const) {
    answer = (_, response) => say(response, 200, found)
    assert.equal(factsOf(await connector.submit(submission, keepNothing)), expected)
  }
  assert.ok(calls.every((call) => call.startsWith('transactions?')))
})

test('one call with a wrong PIN, even if it is answered with HTTP 401, and none after it; balances included', async () => {
  const connector = connect()
  answer = (_, response) => say(response, 401, { code: '2011' })
  const deposit = aSonatelSubmission({ type: 'DEPOSIT' })
  const outcome = await connector.submit(deposit, keepNothing)
  assert.ok(outcome.kind === 'not_sent' && outcome.closesDirection)
  assert.equal((await connector.submit(aSonatelSubmission({ type: 'DEPOSIT' }), keepNothing)).kind, 'not_sent')
  assert.equal((await connector.balance()).kind, 'unknown')
  assert.deepEqual(calls, ['cashins'])
})

test('not_sent, and the direction closed, if we are not authorised', async () => {
  answer = (_, response) => say(response, 403, { code: '2042' })
  const outcome = await connect().submit(aSonatelSubmission(), keepNothing)
  assert.ok(outcome.kind === 'not_sent' && outcome.closesDirection)
})

test('a success reports the amount, the currency and the number; of two payments the sum; of a QR code no number, because anybody may scan it', async () => {
  const submission = aSonatelSubmission()
  const { reference } = submission
  const paid = { reference, status: 'SUCCESS', amount: { value: 5000, unit: 'XOF' }, customer: { idType: 'MSISDN', id: '772093342' } }
  const report = async (found: object[], operatorReference?: string) => {
    answer = (_, response) => say(response, 200, found)
    const outcome = await connect({ collectBy: 'qr' }).query({ ...submission, operatorReference })
    return outcome.kind === 'succeeded' && outcome.reported
  }
  const first = { ...paid, transactionId: 'MP1' }
  assert.deepEqual(await report([first, first]), { amountMinor: 500_000n, currency: 'XOF', phoneNumber: '772093342' })
  const twice = await report([first, { ...paid, transactionId: 'MP2' }])
  assert.equal(twice ? twice.amountMinor : undefined, 1_000_000n)
  const scanned = await report([first], `${START_MS / 1_000}.q1`)
  assert.deepEqual(scanned && [scanned.amountMinor, scanned.phoneNumber], [500_000n, undefined])
})

test('understood by a gateway that answers 415 to a request without a content type, also to a GET', async () => {
  const deposit = aSonatelSubmission({ type: 'DEPOSIT' })
  answer = (request, response) => {
    if (request.headers['content-type'] !== 'application/json') return void response.writeHead(415).end()
    say(response, 200, request.method === 'GET' ? [] : { status: 'SUCCESS', transactionId: 'CI1' })
  }
  assert.equal((await connect().query(deposit)).kind, 'not_found')
  assert.equal((await connect().submit(deposit, keepNothing)).kind, 'succeeded')
  assert.ok(keyContentTypes.length > 0 && keyContentTypes.every((type) => type === 'application/json'))
})

test('a QR code is for one payment and has the name of the merchant', async () => {
  const bodies: { name: string; restrictions: object }[] = []
  answer = (_, response, body) => {
    bodies.push(JSON.parse(body))
    say(response, 200, { qrId: 'q1', deepLinks: { OM: 'https://om.example/q1' } })
  }
  const connector = connect({ collectBy: 'qr' })
  for (const merchantName of ['Boutique Sandaga', undefined]) await connector.submit(aSonatelSubmission({ merchantName }), keepNothing)
  assert.deepEqual(
    bodies.map(({ name, restrictions }) => [name, restrictions]),
    [
      ['Boutique Sandaga', { isSingleUse: true }],
      ['123456', { isSingleUse: true }],
    ],
  )
})

test('a code of the length that was agreed is asked for, and of any length where none was', () => {
  const lengths = [undefined, 6].map((codeLength) => {
    const { customerStep } = connect({ codeLength })
    return typeof customerStep === 'object' ? customerStep.codeLength : 'none'
  })
  assert.deepEqual(lengths, [undefined, 6])
})

test('failed without a call for less than 10 XOF', async () => {
  const outcome = await connect().submit(aSonatelSubmission({ amountMinor: 900n }), keepNothing)
  assert.equal(factsOf(outcome), 'failed Montant inférieur au minimum de cet opérateur (10) MINIMUM')
  assert.deepEqual(calls, [])
})

test('not_sent without a call for a payment without a code, and failed for decimals', async () => {
  const connector = connect()
  assert.equal((await connector.submit(aSonatelSubmission({ customerCode: undefined }), keepNothing)).kind, 'not_sent')
  assert.equal(
    factsOf(await connector.submit(aSonatelSubmission({ amountMinor: 1_050n }), keepNothing)),
    'failed Montant avec décimales non accepté par cet opérateur DECIMALS',
  )
  assert.deepEqual(calls, [])
})

test('a code is not in the answer that is stored', async () => {
  answer = (_, response) => say(response, 400, { code: '9876', detail: '654321 is wrong' })
  const { exchange } = await connect().submit(aSonatelSubmission(), keepNothing)
  assert.ok(!exchange.answer.includes('654321'))
})

async function keepQrCode(connector: Connector, submission: Submission) {
  answer = (_, response) =>
    say(response, 200, { qrId: 'q1', deepLinks: { OM: 'https://om.example/q1', MAXIT: 'https://maxit.example/q1' } })
  let kept: { operatorReference?: string | undefined; customerLink?: string | undefined } = {}
  const outcome = await connector.submit(submission, async (identifiers) => {
    kept = identifiers
    return true
  })
  assert.equal(outcome.kind, 'accepted')
  return kept
}

test('a QR code is pending while it is valid, also after a payment that failed, and then failed; its link is kept before it is accepted', async () => {
  const connector = connect({ collectBy: 'qr', app: 'MAXIT' })
  const submission = aSonatelSubmission()
  const { reference } = submission
  const kept = await keepQrCode(connector, submission)
  assert.equal(kept.customerLink, 'https://maxit.example/q1')
  const query = { ...submission, operatorReference: kept.operatorReference }
  const ask = async (found: object[]) => {
    answer = (_, response) => say(response, 200, found)
    return factsOf(await connector.query(query))
  }
  const failed = [{ reference, status: 'FAILED', transactionId: 'MP1' }]
  assert.equal(await ask([]), 'pending')
  assert.equal(await ask(failed), 'pending')
  nowMs = START_MS + 1_800_000 + 86_399_000
  assert.equal(await ask([]), 'pending')
  nowMs += 2_000
  assert.equal(await ask([]), `failed Timeout opérateur 4004 ${kept.operatorReference}`)
  assert.equal(await ask(failed), `failed Transaction refusée FAILED ${kept.operatorReference}`)
  assert.equal(await ask([{ reference, status: 'PENDING', transactionId: 'MP1' }]), 'pending')
  assert.equal(await ask([{ reference, status: 'SUCCESS', transactionId: 'MP1' }]), 'succeeded MP1')
})

test('succeeded, if somebody else scanned the code and a payment that had FAILED is queried again with what its failure stored', async () => {
  const connector = guardConnector('SNOM', connect({ collectBy: 'qr' }), createLogger('silent'))
  const submission = aSonatelSubmission()
  const kept = await keepQrCode(connector, submission)
  nowMs = START_MS + 1_800_000 + 86_401_000
  const { reference } = submission
  for (const ended of [[], [{ reference, status: 'FAILED', transactionId: 'MP1' }]]) {
    answer = (_, response) => say(response, 200, ended)
    const failed = await connector.query({ ...submission, operatorReference: kept.operatorReference })
    assert.ok(failed.kind === 'failed')
    assert.equal(failed.operatorReferenceOther, ended[0]?.transactionId)
    answer = (_, response) =>
      say(response, 200, [
        ...ended,
        { reference, status: 'SUCCESS', transactionId: 'MP2', amount: { value: 5000, unit: 'XOF' }, customer: { id: '770000001' } },
      ])
    const late = await connector.query({ ...submission, operatorReference: failed.operatorReference })
    assert.equal(factsOf(late), 'succeeded MP2')
  }
})

test('not_sent, so that nobody gets the link, if another process has taken the submission over', async () => {
  answer = (_, response) => say(response, 200, { qrId: 'q1', deepLinks: { OM: 'https://om.example/q1' } })
  assert.equal((await connect({ collectBy: 'qr' }).submit(aSonatelSubmission(), async () => false)).kind, 'not_sent')
})

test('a callback is a hint about the transaction in its metadata; anything else is malformed', () => {
  const connector = connect()
  const { reference, applicationId } = aSonatelSubmission()
  const metadata = { transaction: reference, application: applicationId }
  const parse = (body: object) => connector.parseCallback({}, Buffer.from(JSON.stringify(body)))
  assert.deepEqual(parse({ transactionId: 'MP1', status: 'SUCCESS', metadata }), {
    kind: 'callback',
    applicationId,
    reference,
    claim: 'succeeded',
    isVerified: false,
  })
  for (const body of [{}, [], { status: 'SUCCESS', metadata: {} }]) assert.equal(parse(body).kind, 'malformed')
})

const SIGNING_SECRET = 'endpoint secret'

function signed(body: string, { secret = SIGNING_SECRET, atMs = START_MS, separator = ',' } = {}): string {
  const time = String(atMs / 1_000)
  const hex = createHmac('sha256', secret)
    .update(time + separator + body)
    .digest('hex')
  return `t=${time},v1=${'0'.repeat(64)},v1=${hex}`
}

test('a callback is verified if one of its signatures is of its time, a comma and its bytes, and five minutes old at most', () => {
  const { reference, applicationId } = aSonatelSubmission()
  const body = JSON.stringify({ status: 'SUCCESS', metadata: { transaction: reference, application: applicationId } })
  const parse = (header: string | undefined, text = body) =>
    connect({ signingSecret: SIGNING_SECRET }).parseCallback({ 'x-sonatel-signature': header }, Buffer.from(text))
  const verified = { kind: 'callback', applicationId, reference, claim: 'succeeded', isVerified: true }
  assert.deepEqual(parse(signed(body)), verified)
  assert.deepEqual(parse(signed(body, { atMs: START_MS - 300_000 })), verified)
  for (const [header, text] of [
    [undefined, body],
    ['', body],
    [signed(body), `${body} `],
    [signed(body, { secret: 'another' }), body],
    [signed(body, { separator: '' }), body],
    [signed(body, { atMs: START_MS - 301_000 }), body],
    [signed(body, { atMs: START_MS + 301_000 }), body],
  ] as const)
    assert.equal(parse(header, text).kind, 'unverified')
})
