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
import { mtnAccountOf } from '../simulator/mtn/mtn-messages.ts'
import { mtnReference } from './messages.ts'
import { createMtnConnector } from './mtn-connector.ts'
import { mtnSettingsSchema } from './product-client.ts'
import { anMtnSubmission } from './testing.ts'

const collection = mtnAccountOf(TRANSCRIPT_SECRET, 'collection')
const disbursement = mtnAccountOf(TRANSCRIPT_SECRET, 'disbursement')

let recorder: RecordedSimulator
let connector: Connector
/** The tokens that were issued, which differ in each run. */
const issued: string[] = []

before(async () => {
  recorder = await recordSimulator()
  const settings = mtnSettingsSchema.parse({ baseUrl: `${recorder.url}/mtn`, targetEnvironment: 'mtncameroon', collection, disbursement })
  const context = aConnectorContext({ callbackUrl: 'http://127.0.0.1:1/operators/callback/MOMOCM' })
  const { tokens } = context
  connector = recorder.open(
    createMtnConnector(
      {
        ...context,
        tokens: {
          ...tokens,
          async get(key, fetch) {
            const token = await tokens.get(key, fetch)
            if (token !== undefined && !issued.includes(token)) issued.push(token)
            return token
          },
        },
      },
      settings,
    ),
  )
})
after(() => recorder.close())

function take(submission: Submission): string {
  const known: Record<string, string> = {
    'X-Reference-Id': mtnReference(submission.reference),
    'transaction id': submission.reference,
    'application id': submission.applicationId,
  }
  issued.forEach((token, index) => {
    known[`token ${index + 1}`] = token
  })
  for (const [name, account] of Object.entries({ collection, disbursement })) {
    known[`${name} basic`] = Buffer.from(`${account.apiUser}:${account.apiKey}`).toString('base64')
    known[`${name} key`] = account.subscriptionKey
  }
  // Balances depend on the transfers before.
  return recorder
    .take(known)
    .replaceAll(/"financialTransactionId":"\d+"/g, '"financialTransactionId":"{digits}"')
    .replaceAll(/"availableBalance":"\d+"/g, '"availableBalance":"{balance}"')
}

for (const [name, type, phoneNumber] of [
  ['collect-succeeds', 'COLLECT', '237677209341'],
  ['collect-refused-by-customer', 'COLLECT', '237677209903'],
  ['deposit-succeeds', 'DEPOSIT', '237677209341'],
  ['deposit-invalid-number', 'DEPOSIT', '237677209902'],
] as const) {
  test(`as in the golden file: ${name}`, async () => {
    const submission = anMtnSubmission({ type, phoneNumber })
    const unknown = await connector.query(submission)
    assert.equal(unknown.kind, 'not_found')
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
  await connector.checkAccount?.('237677209905')
  assertTranscript(new URL('./transcripts/balance-and-account.txt', import.meta.url), take(anMtnSubmission()))
})
