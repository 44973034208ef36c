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
import { waveAccountOf } from '../simulator/wave/wave-messages.ts'
import { aWaveSubmission } from './testing.ts'
import { waveSettingsSchema } from './wave-client.ts'
import { createWaveConnector } from './wave-connector.ts'

const account = waveAccountOf(TRANSCRIPT_SECRET, 'SNWAVE')

let recorder: RecordedSimulator
let connector: Connector

before(async () => {
  recorder = await recordSimulator()
  const settings = waveSettingsSchema.parse({ baseUrl: `${recorder.url}/wave`, ...account, expiryGraceS: 0 })
  connector = recorder.open(createWaveConnector(aConnectorContext({ operator: 'SNWAVE' }), settings))
})
after(() => recorder.close())

function take({ reference, applicationId, payToken = '' }: Submission): string {
  const known = { 'transaction id': reference, 'application id': applicationId, payToken, 'API key': account.apiKey }
  return recorder
    .take(known)
    .replaceAll(/(cos|pt)-[0-9a-f]{16}/g, '$1-{id}')
    .replaceAll(/"T[0-9A-F]{10}"/g, '"T{id}"')
    .replaceAll(/127\.0\.0\.1:\d+/g, '{host}')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '{time}')
}

for (const [name, type, phoneNumber] of [
  ['checkout-succeeds', 'COLLECT', '221772093341'],
  ['checkout-short-of-funds', 'COLLECT', '221772093901'],
  ['checkout-invalid-number', 'COLLECT', '221772093902'],
  ['payout-succeeds', 'DEPOSIT', '221772093341'],
  ['payout-without-account', 'DEPOSIT', '221772093905'],
] as const) {
  test(`as in the golden file: ${name}`, async () => {
    const submission = aWaveSubmission({ type, phoneNumber })
    assert.equal((await connector.query(submission)).kind, 'not_found')
    const outcome = await connector.submit(submission, keepNothing)
    let transcript = take(submission)
    if (outcome.kind === 'accepted') {
      const { operatorReference } = outcome
      await waitUntil('the transfer ends', async () => {
        recorder.take({})
        return (await connector.query({ ...submission, operatorReference })).kind !== 'pending'
      })
      transcript += take(submission)
    }
    assertTranscript(new URL(`./transcripts/${name}.txt`, import.meta.url), transcript)
  })
}

test('as in the golden file: balance', async () => {
  await connector.balance()
  assertTranscript(new URL('./transcripts/balance.txt', import.meta.url), take(aWaveSubmission()))
})
