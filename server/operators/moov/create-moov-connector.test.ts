import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, afterEach, before, test } from 'node:test'
import type { CodeRefusal, Connector, FinalOutcome, QueryOutcome, SubmitOutcome } from '#server/operators/connector.ts'
import { aConnectorContext, keepNothing } from '#server/operators/testing/connectors/connector-context.ts'
import { moovToken } from './messages.ts'
import { createMoovConnector } from './moov-connector.ts'
import { aMoovSubmission, moovAnswer, moovSettings, TEST_KEY } from './testing.ts'

const submission = aMoovSubmission()
const deposit = aMoovSubmission({ type: 'DEPOSIT' })
let server: Server
let url = ''
let asked: string[] = []
let answer: { status: number; body: string } = { status: 200, body: '' }
const connectors: Connector[] = []

before(async () => {
  server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    asked.push(`${request.url} ${body}`)
    response.writeHead(answer.status, { 'content-type': 'text/xml' }).end(answer.body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  // Not a pipe: it listens on a host.
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(async () => {
  asked = []
  await Promise.all(connectors.splice(0).map((connector) => connector.close()))
})
after(() => {
  server.closeAllConnections()
  server.close()
})

function connect(settings: Record<string, unknown> = {}): Connector {
  const connector = createMoovConnector(aConnectorContext({ operator: 'BJMOOV' }), moovSettings(`${url}/com.tlc.merchant.api`, settings))
  connectors.push(connector)
  return connector
}

function factsOf(outcome: CodeRefusal | SubmitOutcome | QueryOutcome): string {
  const final = outcome as Partial<FinalOutcome & { reason: string; operatorCode: string }>
  return [outcome.kind, final.operatorReference, final.reason, final.operatorCode].filter(Boolean).join(' ')
}

const sayPush = (status: string, transid = submission.reference) => {
  answer = { status: 200, body: moovAnswer('PushWithPending', 'result', { description: 'x', referenceid: '77', status, transid }) }
}
const sayStatus = (status: string, transid = submission.reference) => {
  answer = { status: 200, body: moovAnswer('getTransactionStatus', 'response', { description: 'x', referenceid: '77', status, transid }) }
}
const sayTransfer = (status: string, referenceid = deposit.reference) => {
  answer = { status: 200, body: moovAnswer('transferFlooz', 'return', { message: 'x', referenceid, status, transactionid: '88' }) }
}

test('the token that openssl makes of the same credentials', () => {
  assert.equal(moovToken({ key: TEST_KEY, username: 'username', password: 'password' }), 'hnTyz1stTsRO8PxwCssFHwwUakVCzRFeJ4Ms/F9cem0=')
})

for (const [status, expected] of [
  ['100', 'accepted 77'],
  ['0', 'accepted 77'],
  ['3', 'failed Numéro invalide 3'],
  ['10', 'failed Solde insuffisant 10'],
  ['8', 'failed Solde insuffisant 8'],
  ['555', 'failed Compte non inscrit 555'],
  ['6', 'failed Transaction refusée 6'],
  ['13', 'failed Transaction refusée 13'],
  ['20', 'failed Transaction refusée 20'],
  ['1', 'unknown'],
  ['2', 'unknown'],
  ['4', 'unknown'],
  ['5', 'unknown'],
  ['21', 'unknown'],
  ['91', 'unknown'],
  ['92', 'unknown'],
  ['200', 'unknown'],
  ['500', 'unknown'],
  ['777', 'unknown'],
  ['94', 'unknown'],
  ['95', 'unknown'],
  ['98', 'unknown'],
  ['99', 'unknown'],
  ['-1', 'unknown'],
  ['', 'unknown'],
] as const) {
  test(`${expected} for a push that is answered with status ${status || 'missing'}`, async () => {
    sayPush(status, expected.startsWith('accepted') ? submission.reference : '')
    assert.equal(factsOf(await connect().submit(submission, keepNothing)), expected)
  })
}

for (const [status, expected] of [
  ['0', 'succeeded 77'],
  ['100', 'pending 77'],
  ['20', 'failed Transaction refusée 20'],
  ['555', 'failed Compte non inscrit 555'],
  ['21', 'unknown'],
  ['92', 'unknown'],
  ['200', 'unknown'],
  ['500', 'unknown'],
  ['1', 'unknown'],
  ['2', 'unknown'],
  ['91', 'unknown'],
  ['94', 'unknown'],
  ['95', 'unknown'],
] as const) {
  test(`${expected} for a query answered with status ${status}: a code that may be about the query decides nothing`, async () => {
    sayStatus(status)
    assert.equal(factsOf(await connect().query(submission)), expected)
  })
}

test('the meanings that were agreed with Moov before our own; not_found only among them', async () => {
  const codeMeanings = { 91: 'cancelledByCustomer', 92: 'operatorTimeout', 94: 'notFound', 10: 'unknown' }
  const facts: string[] = []
  for (const status of ['91', '92', '94', '10']) {
    sayStatus(status, status === '94' ? '' : submission.reference)
    facts.push(factsOf(await connect({ codeMeanings }).query(submission)))
  }
  assert.deepEqual(facts, ['failed Transaction annulée par le client 91', 'failed Timeout opérateur 92', 'not_found', 'unknown'])
  sayPush('94')
  assert.equal((await connect({ codeMeanings }).submit(submission, keepNothing)).kind, 'unknown')
})

test('succeeded for a transfer that is done; unknown if the answer names another reference', async () => {
  sayTransfer('0')
  assert.equal(factsOf(await connect().submit(deposit, keepNothing)), 'succeeded 88')
  sayTransfer('100')
  assert.equal(factsOf(await connect().submit(deposit, keepNothing)), 'accepted 88')
  sayTransfer('0', submission.reference)
  assert.equal((await connect().submit(deposit, keepNothing)).kind, 'unknown')
  sayTransfer('0', 'CI20260301')
  assert.equal((await connect({ echoesReference: true }).submit(deposit, keepNothing)).kind, 'unknown')
})

test('unknown for a push that is answered about another payment, whatever the status', async () => {
  for (const status of ['0', '100', '3', '10']) {
    sayPush(status, '0f9a2b1e-3c4d-4e5f-8a6b-7c8d9e0f1a2b')
    assert.equal(factsOf(await connect().submit(submission, keepNothing)), 'unknown', status)
  }
})

test('understood without settings: answers that name Moov’s own reference, or none, as every published sample does', async () => {
  const fields = { description: 'x', referenceid: '77', status: '0' }
  answer = { status: 200, body: moovAnswer('getTransactionStatus', 'response', fields) }
  assert.equal(factsOf(await connect().query(submission)), 'succeeded 77')
  assert.equal((await connect({ echoesReference: true }).query(submission)).kind, 'unknown')
  sayStatus('0', '2026030112345')
  assert.equal(factsOf(await connect().query(submission)), 'succeeded 77')
  sayStatus('0', deposit.reference)
  assert.equal((await connect().query(submission)).kind, 'unknown')
  sayPush('100', '2026030112345')
  assert.equal(factsOf(await connect().submit(submission, keepNothing)), 'accepted 77')
  sayTransfer('0', 'CI20260301')
  assert.equal(factsOf(await connect().submit(deposit, keepNothing)), 'succeeded 88')
})

test('unknown for an answer to another operation, for a fault, and for text that XML forbids', async () => {
  sayTransfer('0')
  assert.equal((await connect().query(deposit)).kind, 'unknown')
  const fault = '<soap:Envelope xmlns:soap="x"><soap:Body><soap:Fault><faultstring>x</faultstring></soap:Fault></soap:Body></soap:Envelope>'
  for (const status of [200, 500]) {
    answer = { status, body: fault }
    assert.equal((await connect().submit(submission, keepNothing)).kind, 'unknown')
  }
  answer = {
    status: 200,
    body: moovAnswer('getTransactionStatus', 'response', { description: '\u0000\u0007', status: '13', transid: submission.reference }),
  }
  assert.equal((await connect().query(submission)).kind, 'unknown')
  const entity = '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>'
  answer = { status: 200, body: entity + moovAnswer('getTransactionStatus', 'response', { status: '0', transid: submission.reference }) }
  assert.equal((await connect().query(submission)).kind, 'unknown')
})

test('the number of Benin as it is now, or without its 01; text that is XML as text', async () => {
  sayPush('100')
  await connect({ pushMessage: 'Payer <Sènan & Cie>' }).submit(submission, keepNothing)
  await connect({ dropsNewPrefix: true }).submit(submission, keepNothing)
  await connect({ dropsNewPrefix: true }).submit({ ...submission, phoneNumber: '22366209341' }, keepNothing)
  const [first = '', second = '', third = ''] = asked
  assert.match(
    first,
    /^\/com\.tlc\.merchant\.api\/UssdPush <\?xml .*<msisdn>2290195209341<\/msisdn><message>Payer &lt;Sènan &amp; Cie&gt;<\/message><amount>5000<\/amount>/,
  )
  assert.match(second, /<msisdn>22995209341<\/msisdn>/)
  assert.match(third, /<msisdn>22366209341<\/msisdn>/)
})

test('failed without a call for an amount with decimals, unless the settings say that Moov takes them', async () => {
  sayPush('100')
  const fraction = { ...submission, amountMinor: 100_050n }
  assert.equal(
    factsOf(await connect().submit(fraction, keepNothing)),
    'failed Montant avec décimales non accepté par cet opérateur DECIMALS',
  )
  assert.equal(asked.length, 0)
  assert.equal((await connect({ takesDecimals: true }).submit(fraction, keepNothing)).kind, 'accepted')
  assert.match(asked[0] ?? '', /<amount>1000\.5<\/amount>/)
})

test('one account for both directions; unknown without its number or with a code', async () => {
  const sayBalance = (status: string, balance: string) => {
    answer = { status: 200, body: moovAnswer('getBalance', 'return', { balance, message: 'x', status }) }
  }
  const read = async (settings: Record<string, unknown>) => {
    const outcome = await connect(settings).balance()
    return outcome.kind === 'balance' ? [outcome.collectMinor, outcome.depositMinor, outcome.isOneAccount] : outcome.kind
  }
  const accountMsisdn = '2290195000001'
  sayBalance('0', '1500.50')
  assert.deepEqual(await read({ accountMsisdn }), [150_050n, 150_050n, true])
  assert.equal(await read({}), 'unknown')
  sayBalance('1', '1500')
  assert.equal(await read({ accountMsisdn }), 'unknown')
})

test('active, not registered or barred: only by codes about the account, and unknown for another number', async () => {
  const kinds: unknown[] = []
  for (const status of ['0', '555', '3', '7', '9', '1', '99', '95']) {
    answer = { status: 200, body: moovAnswer('getMobileAccountStatus', 'return', { message: 'x', status }) }
    kinds.push((await connect().checkAccount?.('2290195209341'))?.kind)
  }
  assert.deepEqual(kinds, ['active', 'not_registered', 'not_registered', 'barred', 'barred', 'unknown', 'unknown', 'unknown'])
  const about = (msisdn: string) => {
    const fields = { status: '0', msisdn, firstname: 'ROSINE', lastname: 'DOSSOU' }
    answer = { status: 200, body: moovAnswer('getMobileAccountStatus', 'return', fields) }
    return connect().checkAccount?.('2290195209341')
  }
  assert.partialDeepStrictEqual(await about('2290195209341'), { kind: 'active', holderName: 'ROSINE D.' })
  assert.equal((await about('2290195000000'))?.kind, 'unknown')
})

test('malformed for any callback: Moov sends none', () => {
  assert.equal(connect().parseCallback({}, Buffer.from('{"status":"SUCCESS"}')).kind, 'malformed')
})
