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
import { moovAccountOf } from '../simulator/moov/moov-messages.ts'
import { moovToken } from './messages.ts'
import { createMoovConnector } from './moov-connector.ts'
import { aMoovSubmission, moovSettings } from './testing.ts'

const account = moovAccountOf(TRANSCRIPT_SECRET, 'bj')

let recorder: RecordedSimulator
let connector: Connector

before(async () => {
  recorder = await recordSimulator()
  const settings = moovSettings(`${recorder.url}/moov/bj/com.tlc.merchant.api`, { ...account, codeMeanings: { 94: 'notFound' } })
  connector = recorder.open(createMoovConnector(aConnectorContext({ operator: 'BJMOOV' }), settings))
})
after(() => recorder.close())

function take(submission: Submission): string {
  const known = { reference: submission.reference, 'application id': submission.applicationId, token: moovToken(account) }
  // Balances depend on the transfers before.
  return recorder
    .take(known)
    .replaceAll(/(<referenceid>|<transactionid>)\d{15}/g, '$1{digits}')
    .replaceAll(/(<senderbalance(?:after|before)>|<balance>)\d+/g, '$1{balance}')
}

for (const [name, type, phoneNumber] of [
  ['collect-succeeds', 'COLLECT', '2290195209341'],
  ['collect-refused-by-customer', 'COLLECT', '2290195209903'],
  ['deposit-succeeds', 'DEPOSIT', '2290195209341'],
  ['deposit-at-once', 'DEPOSIT', '2290195209910'],
  ['deposit-invalid-number', 'DEPOSIT', '2290195209902'],
] as const) {
  test(`as in the golden file: ${name}`, async () => {
    const submission = aMoovSubmission({ type, phoneNumber })
    assert.equal((await connector.query(submission)).kind, 'not_found')
    const outcome = await connector.submit(submission, keepNothing)
    const begun = take(submission)
    if (outcome.kind === 'accepted')
      await waitUntil('the transfer ends', async () => {
        recorder.take({})
        return (await connector.query(submission)).kind !== 'pending'
      })
    // Again, under the same reference.
    await connector.submit(submission, keepNothing)
    assertTranscript(new URL(`./transcripts/${name}.txt`, import.meta.url), begun + take(submission))
  })
}

test('as in the golden file: balance and account', async () => {
  await connector.balance()
  await connector.checkAccount?.('2290195209905')
  assertTranscript(new URL('./transcripts/balance-and-account.txt', import.meta.url), take(aMoovSubmission()))
})
