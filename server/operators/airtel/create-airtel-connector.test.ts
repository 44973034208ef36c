import assert from 'node:assert/strict'
import { createDecipheriv, createHmac, generateKeyPairSync, type KeyObject, privateDecrypt } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, afterEach, before, test } from 'node:test'
import type { CodeRefusal, Connector, FinalOutcome, QueryOutcome, SubmitOutcome } from '#server/operators/connector.ts'
import { aConnectorContext, keepNothing } from '#server/operators/testing/connectors/connector-context.ts'
import { createAirtelConnector } from './airtel-connector.ts'
import { airtelId } from './messages.ts'
import { airtelSettings, anAirtelSubmission } from './testing.ts'

type Asked = { request: IncomingMessage; body: string; response: ServerResponse }

const submission = anAirtelSubmission()
const deposit = anAirtelSubmission({ type: 'DEPOSIT' })
const id = airtelId(submission)
const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
let key = spkiOf(publicKey)

let server: Server
let url = ''
let tokens = 0
let answer: (asked: Asked) => void = ({ response }) => response.end()
const connectors: Connector[] = []

before(async () => {
  server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    if (request.url === '/auth/oauth2/token') return say(response, 200, { access_token: `token ${++tokens}`, expires_in: '180' })
    if (request.url === '/v1/rsa/encryption-keys') return say(response, 200, { data: { key_id: '1', key, valid_upto: '2099' } })
    answer({ request, body, response })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  // Not a pipe: it listens on a host.
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(() => Promise.all(connectors.splice(0).map((connector) => connector.close())))
after(() => {
  server.closeAllConnections()
  server.close()
})

function connect(settings: Record<string, unknown> = {}): Connector {
  const connector = createAirtelConnector(aConnectorContext({ operator: 'UGAIRTEL' }), airtelSettings(url, settings))
  connectors.push(connector)
  return connector
}

function say(response: ServerResponse, status: number, body?: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(body && JSON.stringify(body))
}

function spkiOf(publicKey: KeyObject): string {
  return publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
}

function isPinFor(key: KeyObject, sealed: string): boolean {
  try {
    return privateDecrypt({ key, padding: 1 }, Buffer.from(sealed, 'base64')).toString() === '1234'
  } catch {
    return false
  }
}

function factsOf(outcome: CodeRefusal | SubmitOutcome | QueryOutcome): string {
  const final = outcome as Partial<FinalOutcome & { reason: string; operatorCode: string }>
  return [outcome.kind, final.operatorReference, final.operatorReferenceOther, final.reason, final.operatorCode].filter(Boolean).join(' ')
}

const refusal = (response_code: string | undefined, result_code = 'ESB000008') => ({
  status: { code: '200', success: false, message: 'x', result_code, response_code },
})
const transfer = (status: string, response_code: string, more: object = {}) => ({
  data: { transaction: { id, status, ...more } },
  status: { code: '200', success: true, response_code },
})

for (const [body, expected] of [
  [transfer('TIP', 'DP00800001006'), 'accepted'],
  [transfer('TS', 'DP00800001001', { airtel_money_id: '77' }), 'succeeded 77'],
  [transfer('TS', 'DP00800001001', { airtel_money_id: 77, reference_id: null }), 'succeeded 77'],
  [transfer('TS', 'DP00800001001', { airtel_money_id: null }), 'succeeded'],
  // Airtel's published sample of a payment.
  [transfer('Success.', 'DP00800001006', { id: false }), 'accepted'],
  [refusal('DP00900001011'), 'accepted'],
  [refusal('DP00900001017'), 'accepted'],
  [refusal(undefined, '521050'), 'accepted'],
  [refusal(undefined, 'ESB000041'), 'accepted'],
  [refusal('DP00900001013', '521002'), 'failed Numéro invalide DP00900001013'],
  [refusal('DP00900001013'), 'failed Transaction refusée DP00900001013'],
  [refusal('DP00800001007'), 'failed Solde insuffisant DP00800001007'],
  // The response code decides, also beside the result code of an id that is known.
  [refusal('DP00900001012', '521050'), 'failed Numéro invalide DP00900001012'],
  [refusal('DP00900001000', '521050'), 'unknown'],
  [refusal('DP00899999999'), 'unknown'],
  [refusal(undefined), 'unknown'],
  [refusal(undefined, 'ESB000001'), 'unknown'],
  [refusal(undefined, 'ESB000004'), 'unknown'],
  [refusal(undefined, 'ESB000014'), 'unknown'],
  [refusal(undefined, '0000900'), 'unknown'],
  [refusal('DP00800001000'), 'unknown'],
  [refusal('DP00800001005'), 'unknown'],
  [refusal('DP00800001024'), 'unknown'],
  [refusal('DP00900001000'), 'unknown'],
  [refusal('DP00900001014'), 'unknown'],
  [transfer('TF', 'DP00800001001'), 'unknown'],
  [transfer('TA', 'DP00800001001'), 'unknown'],
  [transfer('TIP', 'DP00800001000'), 'unknown'],
  [transfer('TS', 'DP00800001001', { id: '0'.repeat(64) }), 'unknown'],
] as const) {
  test(`${expected} for a submission that is answered with ${JSON.stringify(body).slice(0, 130)}`, async () => {
    answer = ({ response }) => say(response, 200, body)
    assert.equal(factsOf(await connect().submit(submission, keepNothing)), expected)
  })
}

for (const [status, body] of [
  [200, { status: { success: false, response_code: 'DP00900001013', result_code: 'ESB000008', message: 'Incorrect Encrypted Pin' } }],
  [400, { status: { success: false, response_code: 'DP00900001013', code: '400', message: 'Incorrect Encrypted Pin' } }],
  [400, { status_code: 'ROUTER115', status_message: 'x' }],
  [400, { status_code: 'ROUTER999', status_message: 'Invalid PIN' }],
  [200, refusal('DP00900001016')],
  [200, refusal('DP00900001018')],
  [200, refusal('DP00900001019')],
] as const) {
  test(`not_sent, and the direction closed, for a deposit that is answered with HTTP ${status} ${JSON.stringify(body).slice(0, 130)}`, async () => {
    answer = ({ response }) => say(response, status, body)
    const outcome = await connect().submit(deposit, keepNothing)
    assert.equal(outcome.kind, 'not_sent')
    assert.ok(outcome.kind === 'not_sent' && outcome.closesDirection)
  })
}

const refunded = (success: boolean, more: object = {}) => ({ data: null, status: { code: '200', success, message: 'x', ...more } })
for (const [body, expected] of [
  [{ ...refunded(true), data: { transaction: { airtel_money_id: '77' } } }, 'succeeded'],
  [{ ...refunded(true), data: { transaction: { airtel_money_id: '78' } } }, 'unknown'],
  [refunded(true), 'unknown'],
  [refunded(false, { response_code: 'ESB000011' }), 'failed'],
  [refunded(false, { response_code: 'ESB000099' }), 'unknown'],
  [refunded(false), 'unknown'],
] as const)
  test(`${expected} for the refund of payment 77 that is answered with ${JSON.stringify(body)}`, async () => {
    answer = ({ response }) => say(response, 200, body)
    const reversal = { ...submission, operatorReference: '77', reversalReference: submission.reference, isRepeated: false }
    assert.equal((await connect().reversals?.reverse(reversal))?.kind, expected)
  })

test('unknown for a payment whose refusal names a PIN, which is that of the customer', async () => {
  answer = ({ response }) => say(response, 200, { status: { success: false, response_code: 'DP00899999999', message: 'Invalid PIN' } })
  assert.equal(factsOf(await connect().submit(submission, keepNothing)), 'unknown')
})

test('the direction stays open if Airtel has another key now, and the next deposit is encrypted with it', async () => {
  const opens: boolean[] = []
  const [former, present] = [generateKeyPairSync('rsa', { modulusLength: 2_048 }), generateKeyPairSync('rsa', { modulusLength: 2_048 })]
  key = spkiOf(former.publicKey)
  answer = ({ body, response }) => {
    opens.push(isPinFor(present.privateKey, JSON.parse(body).pin))
    key = spkiOf(present.publicKey)
    say(response, 200, { status: { success: false, response_code: 'DP00900001013', message: 'Incorrect Encrypted Pin' } })
  }
  const connector = connect()
  const [first, second] = [await connector.submit(deposit, keepNothing), await connector.submit(deposit, keepNothing)]
  assert.deepEqual([first.kind, first.kind === 'not_sent' && first.closesDirection], ['not_sent', undefined])
  assert.ok(second.kind === 'not_sent' && second.closesDirection)
  assert.deepEqual(opens, [false, true])
  key = spkiOf(publicKey)
})

test('a minute until the first status enquiry, unless the settings say another time, which in production is not less', () => {
  assert.deepEqual([connect().terms.enquiryDelayMs, connect({ enquiryDelayMs: 5 }).terms.enquiryDelayMs], [60_000, 5])
  assert.equal(connect({ environment: 'production', enquiryDelayMs: 90_000 }).terms.enquiryDelayMs, 90_000)
  assert.throws(() => connect({ environment: 'production', enquiryDelayMs: 59_999 }), /must be at least 60000 in production/)
})

for (const [body, expected] of [
  [transfer('TIP', 'DP00800001006'), 'pending'],
  [transfer('TA', 'DP00800001000'), 'pending'],
  [transfer('TS', 'DP00800001001', { airtel_money_id: '77', reference_id: 'CI1' }), 'succeeded CI1 77'],
  [transfer('TF', 'DP00800001002'), 'failed Transaction annulée par le client DP00800001002'],
  [transfer('TF', 'DP00800001005'), 'failed Timeout opérateur DP00800001005'],
  [transfer('TF', 'DP00900001014'), 'failed Timeout opérateur DP00900001014'],
  [transfer('TF', 'DP00800001010'), 'failed Compte non inscrit DP00800001010'],
  [transfer('TF', ''), 'failed Transaction refusée'],
  [transfer('TE', 'DP00800001029'), 'failed Timeout opérateur DP00800001029'],
  [refusal('DP00800001025'), 'not_found'],
  [refusal('DP00900001015'), 'not_found'],
  [refusal('DP00900001000'), 'unknown'],
  [refusal('DP00900001013'), 'unknown'],
] as const) {
  test(`${expected} for a status enquiry that is answered with ${JSON.stringify(body).slice(0, 130)}`, async () => {
    answer = ({ response }) => say(response, 200, body)
    assert.equal(factsOf(await connect().query(submission)), expected)
  })
}

test('unknown, never failed, for an error of the router, which says nothing about a transfer', async () => {
  answer = ({ response }) => say(response, 400, { status_message: 'x', status_code: 'ROUTER110' })
  assert.equal((await connect().submit(submission, keepNothing)).kind, 'unknown')
  assert.equal((await connect().query(submission)).kind, 'unknown')
})

for (const padding of ['pkcs1', 'oaep-sha256'] as const) {
  test(`a PIN and a signed body that Airtel's key opens, with ${padding}`, async () => {
    const seen: Asked[] = []
    answer = (asked) => {
      seen.push(asked)
      say(asked.response, 200, transfer('TIP', 'DP00900001006', { id: airtelId(deposit) }))
    }
    await connect({ signsMessages: true, rsaPadding: padding }).submit(deposit, keepNothing)
    const [{ request, body } = assert.fail()] = seen
    const open = (text: string) => {
      const options = padding === 'pkcs1' ? { padding: 1 } : { padding: 4, oaepHash: 'sha256' }
      return privateDecrypt({ key: privateKey, ...options }, Buffer.from(text, 'base64')).toString()
    }
    const [secret = '', iv = ''] = open(String(request.headers['x-key'])).split(':')
    const decipher = createDecipheriv('aes-256-cbc', Buffer.from(secret, 'base64'), Buffer.from(iv, 'base64'))
    assert.equal(decipher.update(String(request.headers['x-signature']), 'base64', 'utf8') + decipher.final('utf8'), body)
    assert.deepEqual([request.url, open(JSON.parse(body).pin)], ['/standard/v3/disbursements/', '1234'])
  })
}

test('not_sent for a deposit without the key for its PIN, and one version of the address for each setting', async () => {
  const paths: string[] = []
  answer = ({ request, response }) => {
    paths.push(request.url ?? '')
    say(response, 200, transfer('TIP', 'DP00900001006'))
  }
  await connect({ apiVersion: 'v1' }).submit(deposit, keepNothing)
  await connect().submit(deposit, keepNothing)
  await connect({ signsMessages: true }).submit(submission, keepNothing)
  assert.deepEqual(paths, ['/standard/v1/disbursements/', '/standard/v2/disbursements/', '/merchant/v2/payments/'])
  const withoutPin = await connect({ pin: undefined }).submit(deposit, keepNothing)
  assert.deepEqual([withoutPin.kind, paths.length], ['not_sent', 3])
})

test('not_sent for a deposit if Airtel answers with a key longer than 4,096 characters', async (context) => {
  context.after(() => (key = spkiOf(publicKey)))
  answer = ({ response }) => say(response, 200, transfer('TIP', 'DP00900001006'))
  for (const length of [4_096, 4_097]) {
    key = spkiOf(publicKey).padEnd(length)
    const { kind } = await connect().submit(deposit, keepNothing)
    assert.equal(kind === 'not_sent', length > 4_096, `${length} characters`)
  }
})

test('failed without a call for an amount with decimals, unless the settings say that Airtel takes them', async () => {
  let calls = 0
  answer = ({ body, response }) => {
    calls++
    say(response, 200, transfer('TIP', `${JSON.parse(body).transaction.amount}`))
  }
  const fraction = { ...submission, amountMinor: 100_050n }
  assert.equal(
    factsOf(await connect().submit(fraction, keepNothing)),
    'failed Montant avec décimales non accepté par cet opérateur DECIMALS',
  )
  assert.equal(calls, 0)
  const sent = await connect({ takesDecimals: true }).submit(fraction, keepNothing)
  assert.match(sent.exchange.answer, /1000\.5/)
})

test('one more try with a new token, under the same id, after HTTP 401 and after HTTP 403', async () => {
  for (const status of [401, 403]) {
    const ids: unknown[] = []
    answer = ({ body, response }) => {
      ids.push(JSON.parse(body).transaction.id)
      if (ids.length === 1) return say(response, status, { error: 'invalid_token', error_description: 'expired' })
      say(response, 200, transfer('TIP', 'DP00800001006'))
    }
    assert.equal((await connect().submit(submission, keepNothing)).kind, 'accepted')
    assert.deepEqual(ids, [id, id])
  }
})

test('a balance for each direction with version 2, one account with version 1, thousands separated by commas', async () => {
  answer = ({ request, response }) =>
    say(response, 200, { data: { balance: request.url?.endsWith('DISB') ? '12,345,678,901.50' : '37,600.00', currency: 'UGX' } })
  const facts = async (settings: Record<string, unknown>) => {
    const outcome = await connect(settings).balance()
    return outcome.kind === 'balance' && [outcome.collectMinor, outcome.depositMinor, outcome.isOneAccount]
  }
  assert.deepEqual(await facts({}), [3_760_000n, 1_234_567_890_150n, false])
  assert.deepEqual(await facts({ apiVersion: 'v1' }), [3_760_000n, 3_760_000n, true])
  answer = ({ response }) => say(response, 200, { data: { balance: 'many' } })
  assert.equal(await facts({}), false)
})

test('not registered, barred or active with a masked name: the number at Airtel, and unknown where the answer is about another one', async () => {
  const check = (body: object) => {
    answer = ({ response }) => say(response, 200, body)
    return connect().checkAccount?.('256702209341')
  }
  const found = { status: { response_code: 'DP02200000001' } }
  assert.equal((await check({ data: { msisdn: 702209341, is_barred: false }, ...found }))?.kind, 'active')
  assert.equal((await check({ data: { is_barred: true, first_name: 'Akello' }, ...found }))?.kind, 'barred')
  assert.equal((await check({ status: { response_code: 'DP02200000002' } }))?.kind, 'not_registered')
  for (const data of [{ first_name: 'AKELLO', last_name: 'Sarah Okot' }, { full_name: 'AKELLO Sarah Okot' }]) {
    const named = await check({ data: { ...data, msisdn: '256702209341' }, ...found })
    assert.equal(named?.kind === 'active' && named.holderName, 'AKELLO S. O.')
  }
  assert.equal((await check({ data: { first_name: 'Akello', msisdn: '702209999' }, ...found }))?.kind, 'unknown')
  assert.equal((await check({ status: { response_code: 'DP02200000000' } }))?.kind, 'unknown')
})

test('a signed callback is verified; with any byte of its transaction changed, without a hash, or with another key it is not', () => {
  const transaction = { id, message: 'Paid UGX 5,000', status_code: 'TS', airtel_money_id: 'MP1' }
  const hashOf = (secret: string, value: object) => createHmac('sha256', secret).update(JSON.stringify(value)).digest('base64')
  const parse = (body: unknown, settings: Record<string, unknown> = { callbackKey: 'key' }) =>
    connect(settings).parseCallback({}, Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)))
  const { applicationId, reference } = submission
  const read = { kind: 'callback', applicationId, reference, claim: 'succeeded' }
  assert.deepEqual(parse({ transaction, hash: hashOf('key', transaction) }), { ...read, isVerified: true })
  // The order in which it was sent is what was signed.
  const reordered = { status_code: 'TF', airtel_money_id: 'MP1', id, message: 'x' }
  assert.deepEqual(parse({ transaction: reordered, hash: hashOf('key', reordered) }), { ...read, claim: 'failed', isVerified: true })
  for (const forged of [
    { transaction: { ...transaction, status_code: 'TF' }, hash: hashOf('key', transaction) },
    { transaction, hash: hashOf('another key', transaction) },
    { transaction, hash: '' },
    { transaction },
    '{',
  ])
    assert.equal(parse(forged).kind, 'unverified')
  assert.deepEqual(parse({ transaction }, {}), { ...read, isVerified: false })
  assert.equal(parse({ transaction: { ...transaction, id: 'order7' } }, {}).kind, 'malformed')
})
