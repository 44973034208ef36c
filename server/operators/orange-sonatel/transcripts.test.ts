import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { request } from 'undici'
import type { Connector, Submission } from '#server/operators/connector.ts'
import { aConnectorContext, keepNothing } from '#server/operators/testing/connectors/connector-context.ts'
import {
  assertTranscript,
  type RecordedSimulator,
  recordSimulator,
  TRANSCRIPT_SECRET,
} from '#server/operators/testing/connectors/transcript.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { sonatelAccountOf } from '../simulator/orange-sonatel/sonatel-credentials.ts'
import { createSonatelConnector } from './sonatel-connector.ts'
import { aSonatelSubmission, sonatelSettings } from './testing.ts'

const account = sonatelAccountOf(TRANSCRIPT_SECRET)

let recorder: RecordedSimulator

before(async () => {
  recorder = await recordSimulator()
})
after(() => recorder.close())

function connect(settings: Record<string, unknown>): Connector {
  const context = aConnectorContext({ operator: 'SNOM', callbackUrl: 'https://pay.example.com/operators/callback/SNOM' })
  return recorder.open(createSonatelConnector(context, sonatelSettings(`${recorder.url}/orange-sonatel`, { ...account, ...settings })))
}

function take({ reference, applicationId, payToken = '', customerCode = '' }: Submission): string {
  const known = {
    'transaction id': reference,
    'application id': applicationId,
    payToken,
    'client id': account.clientId,
    'client secret': account.clientSecret,
    otp: customerCode,
  }
  return (
    recorder
      .take(known)
      // Encrypted and random values differ in each run.
      .replaceAll(
        /(Bearer |"access_token":"|"refresh_token":"|"key":"|"keyId":"|"encryptedPinCode":"|"requestId":")[\w+/=-]{10,}/g,
        '$1{…}',
      )
      .replaceAll(/((?:MP|CI)260301\.)\d{4}\.\w{12}/g, '$1{digits}')
      .replaceAll(/("qrId":"|\/qr\/)[0-9a-f]{20}/g, '$1{qrId}')
      .replaceAll(/127\.0\.0\.1:\d+/g, '{host}')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '{time}')
  )
}

/** Dials for the customer and returns the text on the phone. */
async function dial(phoneNumber: string): Promise<string> {
  const answer = await request(`${recorder.simulatorUrl}/phone?${new URLSearchParams({ msisdn: phoneNumber, dial: '#144#391#' })}`)
  return ((await answer.body.json()) as { code: string }).code
}

for (const [name, type, phoneNumber, settings] of [
  ['collect-with-code', 'COLLECT', '221772093341', {}],
  ['collect-low-balance', 'COLLECT', '221772093901', {}],
  ['collect-refused-by-customer', 'COLLECT', '221772093903', {}],
  ['collect-by-qr-code', 'COLLECT', '221772093341', { collectBy: 'qr' }],
  ['cash-in-succeeds', 'DEPOSIT', '221772093341', {}],
  ['cash-in-without-account', 'DEPOSIT', '221772093905', {}],
  ['cash-in-wrong-pin', 'DEPOSIT', '221772093341', { pin: '0' }],
] as const) {
  test(`as in the golden file: ${name}`, async () => {
    const connector = connect(settings)
    const submission = aSonatelSubmission({ type, phoneNumber, customerCode: await dial(phoneNumber) })
    const outcome = await connector.submit(submission, keepNothing)
    const begun = take(submission)
    if (outcome.kind === 'accepted') {
      const { operatorReference } = outcome
      await waitUntil('the transaction ends', async () => {
        recorder.take({})
        return (await connector.query({ ...submission, operatorReference })).kind !== 'pending'
      })
    }
    assertTranscript(new URL(`./transcripts/${name}.txt`, import.meta.url), begun + take(submission))
  })
}

test('as in the golden file: balance', async () => {
  const connector = connect({})
  const outcome = await connector.balance()
  assert.equal(outcome.kind, 'balance')
  const transcript = take(aSonatelSubmission()).replaceAll(/("value":)\d+/g, '$1{balance}')
  assertTranscript(new URL('./transcripts/balance.txt', import.meta.url), transcript)
})
