import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { OperatorCode } from '#lib/operators/operators.ts'
import { assertTranscript, startRecorder } from '#server/operators/testing/connectors/transcript.ts'
import { OperatorHarness } from '#server/operators/testing/operator-harness.ts'
import { waitUntil } from '#server/testing/wait-until.ts'

/** Each protocol with callbacks: its folder, a code that it serves, and a phone number without its last three digits. */
const PROTOCOLS: readonly (readonly [folder: string, operator: OperatorCode, numbers: string])[] = [
  ['mtn', 'MOMOCM', '237677209'],
  ['airtel', 'UGAIRTEL', '256702123'],
  ['orange-cm', 'OMCM', '237690209'],
  ['orange-web', 'CIOM', '2250701021'],
  ['orange-sonatel', 'SNOM', '221772094'],
  ['wave', 'SNWAVE', '221772093'],
  ['sandbox-protocol', 'SNFREE', '221761209'],
]

let harness: OperatorHarness
let recorder: Awaited<ReturnType<typeof startRecorder>>
before(async () => {
  harness = await OperatorHarness.open({
    usesOwnProtocols: true,
    proxy: {
      calls: async (url) => url,
      async callbacks(url) {
        recorder = await startRecorder(url)
        return recorder.url
      },
    },
  })
  harness.startDispatcher()
})
after(async () => {
  await harness.close()
  await recorder.close()
})

async function callbackAbout(operator: OperatorCode, phoneNumber: string): Promise<string> {
  const item = await harness.make({ operator, type: 'COLLECT', phoneNumber })
  const before = harness.callbacks
  await harness.untilFinal(item)
  await waitUntil('the callback is answered', () => harness.callbacks > before)
  const { payToken, operatorReference, transactionId, applicationId } = await harness.read(item)
  const hex = `${transactionId}${applicationId}`.replaceAll('-', '')
  const known = {
    ...(operatorReference && { "operator's reference": operatorReference }),
    'transaction id': transactionId,
    'application id': applicationId,
    'transaction id, application id': hex,
    'transaction id, application id in short': Buffer.from(hex, 'hex').toString('base64url'),
    payToken,
  }
  let transcript = ''
  await waitUntil('the callback is recorded', () => {
    transcript += recorder.take(known)
    return transcript !== ''
  })
  return (
    transcript
      // Random, signed and timed values differ in each run.
      .replaceAll(/("hash":"|"notif_token":")[^"]+/g, '$1{…}')
      .replaceAll(/(-signature: t=)\d+,v1=[0-9a-f]{64}/g, '$1{time},v1={hex}')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '{time}')
      .replaceAll(/(cos-|EV_)[0-9a-f]{16}/g, '$1{id}')
      .replaceAll(/"airtel_money_id":"\d+"/g, '"airtel_money_id":"{digits}"')
      .replaceAll(/"operatorReference":"SIM\w+"/g, '"operatorReference":"SIM{…}"')
      .replaceAll(/127\.0\.0\.1:\d+/g, '{host}')
      // MTN sends either.
      .replace(/^> (?:POST|PUT) (\S+MOMOCM)$/m, '> POST or PUT $1')
  )
}

for (const [folder, operator, numbers] of PROTOCOLS) {
  test(`as in the golden file: the callbacks of ${folder} about a success and a refusal`, async () => {
    const transcript = (await callbackAbout(operator, `${numbers}341`)) + (await callbackAbout(operator, `${numbers}903`))
    assert.equal(harness.callbackOutcomes.includes('malformed') || harness.callbackOutcomes.includes('unverified'), false)
    assertTranscript(new URL(`./${folder}/transcripts/callbacks.txt`, import.meta.url), transcript)
  })
}
