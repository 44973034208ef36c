import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import type { Connector } from '#server/operators/connector.ts'
import { aConnectorContext, keepNothing } from '#server/operators/testing/connectors/connector-context.ts'
import { createOrangeBfConnector } from './orange-bf-connector.ts'
import { anOrangeBfSubmission, orangeBfSettings } from './testing.ts'

const submission = anOrangeBfSubmission()
let server: Server
let connector: Connector
let answer = ''
let received = ''

before(async () => {
  server = createServer(async (request, response) => {
    received = ''
    for await (const chunk of request.setEncoding('utf8')) received += chunk
    response.end(answer)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  // Not a pipe: it listens on a host.
  const { port } = server.address() as AddressInfo
  connector = createOrangeBfConnector(
    aConnectorContext({ operator: 'BFOM' }),
    orangeBfSettings(`http://127.0.0.1:${port}`, { codeMeanings: { 60019: 'insufficientFunds' } }),
  )
})
after(async () => {
  await connector.close()
  server.closeAllConnections()
  server.close()
})

for (const [reply, expected] of [
  ['<status>200</status><message>ok</message><transID>OM1</transID>', 'succeeded OM1'],
  ['<?xml version="1.0"?>\n<status> 200 </status><transID>OM1</transID>', 'succeeded OM1'],
  ['<status>990422</status><message>x</message>', 'failed Numéro invalide 990422'],
  ['<status>00066</status>', 'failed Numéro invalide 00066'],
  ['<status>60019</status>', 'failed Solde insuffisant 60019'],
  // Orange publishes no list: any of these may follow a debit.
  ['<status>12345</status>', 'unknown'],
  ['<status>00068</status>', 'unknown'],
  ['<status>99</status>', 'unknown'],
  ['<status>503</status>', 'unknown'],
  ['<status>PENDING</status>', 'unknown'],
  ['<status>OTPINV</status>', 'wrong_code OTPINV'],
  ['<status>08</status>', 'wrong_code 08'],
  ['<status>990418</status>', 'wrong_code 990418'],
  ['<message>no status</message>', 'unknown'],
  ['<html><body>Bad Gateway</body></html>', 'unknown'],
  ['<status>200', 'unknown'],
  ['<!DOCTYPE x [<!ENTITY e "200">]><status>&e;</status>', 'unknown'],
  ['<status>&e;</status>', 'unknown'],
] as const) {
  test(`${expected} for the reply ${JSON.stringify(reply)}`, async () => {
    answer = reply
    const outcome = await connector.submit(submission, keepNothing)
    const facts: unknown[] = [outcome.kind]
    if (outcome.kind === 'succeeded') facts.push(outcome.operatorReference)
    if (outcome.kind === 'failed') facts.push(outcome.reason)
    if (outcome.kind === 'failed' || outcome.kind === 'wrong_code') facts.push(outcome.operatorCode)
    assert.equal(facts.join(' '), expected)
  })
}

test('the thirteen children of COMMAND in their order, with text that cannot end an element', async () => {
  answer = '<status>200</status>'
  await connector.submit(submission, keepNothing)
  assert.equal(
    [...received.matchAll(/<(\w+)>[^<]*<\/\1>/g)].map(([, name]) => name).join(' '),
    'TYPE customer_msisdn merchant_msisdn api_username api_password amount PROVIDER PROVIDER2 PAYID PAYID2 otp reference_number ext_txn_id',
  )
  for (const part of ['<customer_msisdn>76123341<', '<amount>5000<', '<otp>123456<', '<api_password>a &amp; &lt;b&gt;<'])
    assert.ok(received.includes(part), part)
})

test('the code is not in the answer that is stored', async () => {
  answer = '<status>OTPINV</status><message>123456 is wrong</message>'
  const outcome = await connector.submit(submission, keepNothing)
  assert.equal(outcome.exchange.answer, '<status>OTPINV</status><message>****** is wrong</message>')
})

test('the string to dial names the amount; queries are unknown, and without a code nothing is sent', async () => {
  const step = connector.customerStep
  assert.equal(typeof step === 'object' && step.dial(1_250_000n), '*144*4*6*12500#')
  assert.equal((await connector.query(submission)).kind, 'unknown')
  received = ''
  assert.equal((await connector.submit({ ...submission, customerCode: undefined }, keepNothing)).kind, 'not_sent')
  assert.equal(received, '')
})

test('failed without a call, and before a code is asked for, for an amount with decimals, which nobody can dial', async () => {
  received = ''
  for (const customerCode of [undefined, '123456']) {
    const outcome = await connector.submit({ ...submission, amountMinor: 204_950n, customerCode }, keepNothing)
    assert.deepEqual(outcome.kind === 'failed' && [outcome.operatorCode, outcome.reason], [
      'DECIMALS',
      'Montant avec décimales non accepté par cet opérateur',
    ])
  }
  assert.equal(received, '')
})

test('unknown for a code that was used before if an earlier submission may have used it', async () => {
  answer = '<status>990418</status>'
  assert.equal((await connector.submit({ ...submission, isRepeated: true }, keepNothing)).kind, 'unknown')
})
