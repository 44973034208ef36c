import { after, before, test } from 'node:test'
import type { Connector, OperatorIdentifiers, Submission } from '#server/operators/connector.ts'
import { aConnectorContext } from '#server/operators/testing/connectors/connector-context.ts'
import {
  assertTranscript,
  type RecordedSimulator,
  recordSimulator,
  TRANSCRIPT_SECRET,
} from '#server/operators/testing/connectors/transcript.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { orangeWebAccountOf } from '../simulator/orange-web/answer-orange-web.ts'
import { shortIdsOf } from './messages.ts'
import { orangeWebSettingsSchema } from './orange-web-client.ts'
import { createOrangeWebConnector } from './orange-web-connector.ts'
import { anOrangeWebSubmission } from './testing.ts'

const account = orangeWebAccountOf(TRANSCRIPT_SECRET)

let recorder: RecordedSimulator

before(async () => {
  recorder = await recordSimulator()
})
after(() => recorder.close())

/** A connector of its own for each transcript, so that each begins with the token. */
function connect(): Connector {
  const settings = orangeWebSettingsSchema.parse({ baseUrl: `${recorder.url}/orange-web`, country: 'ci', ...account })
  return recorder.open(createOrangeWebConnector(aConnectorContext({ operator: 'CIOM' }), settings))
}

function take({ reference, applicationId, payToken = '' }: Submission): string {
  const basic = Buffer.from(`${account.clientId}:${account.clientSecret}`).toString('base64')
  return recorder
    .take({
      'transaction id, application id': shortIdsOf({ reference, applicationId }),
      payToken,
      basic,
      merchant_key: account.merchantKey,
    })
    .replaceAll(/("access_token":"|Bearer )[\w-]{32}/g, '$1{token}')
    .replaceAll(/[0-9a-z]{25}-[0-9a-f]{4}/g, '{order_id}')
    .replaceAll(/"MP260301\.1000\.\w+"/g, '"{txnid}"')
    .replaceAll(/[0-9a-f]{64}/g, '{pay_token}')
    .replaceAll(/"notif_token":"\w+"/g, '"notif_token":"{notif_token}"')
    .replaceAll(/127\.0\.0\.1:\d+/g, '{host}')
}

for (const [name, phoneNumber] of [
  ['collect-succeeds', '2250701020341'],
  ['collect-fails', '2250701020901'],
  ['collect-expires', '2250701020904'],
] as const) {
  test(`as in the golden file: ${name}`, async () => {
    const connector = connect()
    const submission = anOrangeWebSubmission({ phoneNumber })
    let kept: OperatorIdentifiers = {}
    await connector.submit(submission, async ({ operatorReference, operatorToken }) => {
      kept = { ...(operatorReference && { operatorReference }), ...(operatorToken && { operatorToken }) }
      return true
    })
    const begun = take(submission)
    await waitUntil('the order ends', async () => {
      recorder.take({})
      return (await connector.query({ ...submission, ...kept })).kind !== 'pending'
    })
    assertTranscript(new URL(`./transcripts/${name}.txt`, import.meta.url), begun + take(submission))
  })
}

test('as in the golden file: credentials', async () => {
  const connector = connect()
  await connector.balance()
  assertTranscript(new URL('./transcripts/credentials.txt', import.meta.url), take(anOrangeWebSubmission()))
})
