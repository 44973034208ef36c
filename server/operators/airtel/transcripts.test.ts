import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Connector, Submission } from '#server/operators/connector.ts'
import { aConnectorContext, keepNothing } from '#server/operators/testing/connectors/connector-context.ts'
import {
  assertTranscript,
  type RecordedSimulator,
  recordSimulator,
  TRANSCRIPT_SECRET,
} from '#server/operators/testing/connectors/transcript.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { airtelAccountOf } from '../simulator/airtel/airtel-messages.ts'
import { createAirtelConnector } from './airtel-connector.ts'
import { airtelId } from './messages.ts'
import { airtelSettings, anAirtelSubmission } from './testing.ts'

const account = airtelAccountOf(TRANSCRIPT_SECRET)

let recorder: RecordedSimulator

before(async () => {
  recorder = await recordSimulator()
})
after(() => recorder.close())

function connect(settings: Record<string, unknown>): Connector {
  return recorder.open(
    createAirtelConnector(
      aConnectorContext({ operator: 'UGAIRTEL' }),
      airtelSettings(`${recorder.url}/airtel`, { ...account, ...settings }),
    ),
  )
}

function take(submission: Submission): string {
  const known = {
    'transaction id, application id': airtelId(submission),
    'transaction id': submission.reference.replaceAll('-', ''),
    'client id': account.clientId,
    'client secret': account.clientSecret,
  }
  return (
    recorder
      .take(known)
      // Encrypted and random values differ in each run.
      .replaceAll(/("pin":|x-key: |x-signature: |Bearer |"access_token":|"key":|"key_id":)"?[\w+/=-]{20,}"?/g, '$1{…}')
      .replaceAll(/"balance":"[\d,.]+"/g, '"balance":"{balance}"')
      .replaceAll(/("airtel_money_id":"(?:disbursement-)?)\d+/g, '$1{digits}')
      .replaceAll(/"CI\d{6}\.\d{4}\.H\d{5}"/g, '"CI{digits}.{digits}.H{digits}"')
  )
}

for (const [name, type, phoneNumber, settings] of [
  ['collect-succeeds', 'COLLECT', '256702209341', {}],
  ['collect-refused-by-customer', 'COLLECT', '256702209903', {}],
  ['deposit-succeeds', 'DEPOSIT', '256702209341', { apiVersion: 'v1' }],
  ['deposit-signed-at-once', 'DEPOSIT', '256702209910', { signsMessages: true }],
  ['deposit-invalid-number', 'DEPOSIT', '256702209902', {}],
] as const) {
  test(`as in the golden file: ${name}`, async () => {
    const connector = connect(settings)
    const submission = anAirtelSubmission({ type, phoneNumber })
    assert.equal((await connector.query(submission)).kind, 'not_found')
    const outcome = await connector.submit(submission, keepNothing)
    const begun = take(submission)
    if (outcome.kind === 'accepted')
      await waitUntil('the transfer ends', async () => {
        recorder.take({})
        return (await connector.query(submission)).kind !== 'pending'
      })
    // Again, under the same id.
    await connector.submit(submission, keepNothing)
    assertTranscript(new URL(`./transcripts/${name}.txt`, import.meta.url), begun + take(submission))
  })
}

test('as in the golden file: balance and account', async () => {
  const connector = connect({})
  await connector.balance()
  await connector.checkAccount?.('256702209905')
  assertTranscript(new URL('./transcripts/balance-and-account.txt', import.meta.url), take(anAirtelSubmission()))
})
