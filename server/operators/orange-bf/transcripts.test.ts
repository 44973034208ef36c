import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Connector } from '#server/operators/connector.ts'
import { aConnectorContext, keepNothing } from '#server/operators/testing/connectors/connector-context.ts'
import {
  assertTranscript,
  type RecordedSimulator,
  recordSimulator,
  TRANSCRIPT_SECRET,
} from '#server/operators/testing/connectors/transcript.ts'
import { orangeBfAccountOf } from '../simulator/orange-bf/answer-orange-bf.ts'
import { orangeBfSettingsSchema } from './messages.ts'
import { createOrangeBfConnector } from './orange-bf-connector.ts'
import { anOrangeBfSubmission } from './testing.ts'

const account = orangeBfAccountOf(TRANSCRIPT_SECRET)

let recorder: RecordedSimulator
let connector: Connector

before(async () => {
  recorder = await recordSimulator()
  const settings = orangeBfSettingsSchema.parse({
    baseUrl: `${recorder.url}/orange-bf`,
    ...account,
    codeMeanings: { 60019: 'insufficientFunds' },
  })
  connector = recorder.open(createOrangeBfConnector(aConnectorContext({ operator: 'BFOM' }), settings))
})
after(() => recorder.close())

async function dial(msisdn: string): Promise<string> {
  const response = await fetch(`${recorder.simulatorUrl}/orange-bf/ussd?msisdn=${msisdn}&amount=5000`)
  return ((await response.json()) as { otp: string }).otp
}

for (const [name, digits, kinds] of [
  ['collect-succeeds', '341', ['succeeded', 'wrong_code']],
  ['collect-fails', '901', ['failed']],
  ['collect-invalid-number', '902', ['failed']],
] as const) {
  test(`as in the golden file: ${name}`, async () => {
    const customerCode = await dial(`76123${digits}`)
    const submission = anOrangeBfSubmission({ phoneNumber: `22676123${digits}`, customerCode })
    for (const kind of kinds) assert.equal((await connector.submit(submission, keepNothing)).kind, kind)
    const known = {
      otp: customerCode,
      'transaction id': submission.reference,
      username: account.apiUsername,
      password: account.apiPassword,
    }
    const transcript = recorder.take(known).replaceAll(/OM[0-9A-F]{12}/g, 'OM{digits}')
    assertTranscript(new URL(`./transcripts/${name}.txt`, import.meta.url), transcript)
  })
}
