import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Connector, Submission } from '#server/operators/connector.ts'
import { aConnectorContext } from '#server/operators/testing/connectors/connector-context.ts'
import {
  assertTranscript,
  type RecordedSimulator,
  recordSimulator,
  TRANSCRIPT_SECRET,
} from '#server/operators/testing/connectors/transcript.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { orangeCmAccountOf } from '../simulator/orange-cm/orange-cm-messages.ts'
import { orderIdOf } from './messages.ts'
import { createOrangeCmConnector } from './orange-cm-connector.ts'
import { anOrangeCmSubmission, orangeCmSettings } from './testing.ts'

const account = orangeCmAccountOf(TRANSCRIPT_SECRET)

let recorder: RecordedSimulator
let connector: Connector

before(async () => {
  recorder = await recordSimulator()
  const context = aConnectorContext({ operator: 'OMCM', callbackUrl: 'http://127.0.0.1:1/operators/callback/OMCM' })
  connector = recorder.open(createOrangeCmConnector(context, orangeCmSettings(`${recorder.url}/orange-cm`, account)))
})
after(() => recorder.close())

function take(submission: Submission): string {
  const known = {
    'order id': orderIdOf(submission.reference),
    'transaction id': submission.reference,
    'application id': submission.applicationId,
    'X-AUTH-TOKEN': Buffer.from(`${account.apiUser}:${account.apiPassword}`).toString('base64'),
    'key and secret': Buffer.from(`${account.consumerKey}:${account.consumerSecret}`).toString('base64'),
    'channel number': account.channelMsisdn,
  }
  return (
    recorder
      .take(known)
      .replaceAll(/MP\d{6}[0-9A-F]{20}/g, '{payToken}')
      // Random and counted values differ in each run.
      .replaceAll(/(Bearer |"access_token":")[0-9a-f-]{36}/g, '$1{token}')
      .replaceAll(/("expires_in":|"id":)\d+/g, '$1{number}')
      .replaceAll(/("createtime":"|"txnid":")[^"]+/g, '$1{…}')
  )
}

for (const [name, type, phoneNumber] of [
  ['collect-succeeds', 'COLLECT', '237690209341'],
  ['collect-refused-by-customer', 'COLLECT', '237690209903'],
  ['collect-low-balance', 'COLLECT', '237690209901'],
  ['collect-not-registered', 'COLLECT', '237690209905'],
  ['collect-expired', 'COLLECT', '237690209904'],
  ['deposit-succeeds', 'DEPOSIT', '237690209341'],
  ['deposit-invalid-number', 'DEPOSIT', '237690209902'],
] as const) {
  test(`as in the golden file: ${name}`, async () => {
    const submission = anOrangeCmSubmission({ type, phoneNumber })
    let operatorToken: string | undefined
    const outcome = await connector.submit(submission, async (identifiers) => {
      operatorToken = identifiers.operatorToken
      assert.equal((await connector.query({ ...submission, operatorToken })).kind, 'not_found')
      return true
    })
    const begun = take(submission)
    if (outcome.kind === 'accepted')
      await waitUntil('the payment ends', async () => {
        recorder.take({})
        return (await connector.query({ ...submission, operatorToken })).kind !== 'pending'
      })
    const ended = take(submission)
    // Again, with the same payToken.
    await connector.submit({ ...submission, operatorToken }, async () => assert.fail())
    assertTranscript(new URL(`./transcripts/${name}.txt`, import.meta.url), begun + ended + take(submission))
  })
}
