import type { ServerResponse } from 'node:http'
import { testLostResponses } from '#server/operators/testing/lost-responses.ts'
import { aWaveSubmission, waveSettings } from './testing.ts'
import { createWaveConnector } from './wave-connector.ts'

const checkout = aWaveSubmission()
const payout = aWaveSubmission({ type: 'DEPOSIT' })

function say(response: ServerResponse, ...result: object[]): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ result }))
}

const session = {
  id: 'cos-18qq25rgr100a',
  client_reference: `${checkout.reference}.${checkout.applicationId}`,
  checkout_status: 'expired',
  payment_status: 'processing',
  when_expires: '2026-01-01T00:00:00Z',
  wave_launch_url: 'https://pay.wave.com/c/cos-18qq25rgr100a',
}

testLostResponses({
  name: 'Wave, checkouts',
  submission: checkout,
  connect: (baseUrl, context) => createWaveConnector(context, waveSettings(baseUrl)),
  prepare: () => false,
  aboutAnotherReference: (response) => say(response, { ...session, client_reference: 'another', payment_status: 'succeeded' }),
  failedWith: (code, response) => say(response, { ...session, last_payment_error: { code, message: code } }),
})

const paid = { id: 'pt-185b5e4b8100c', client_reference: `${payout.reference}.${payout.applicationId}`, status: 'failed' }

testLostResponses({
  name: 'Wave, payouts',
  submission: payout,
  connect: (baseUrl, context) => createWaveConnector(context, waveSettings(baseUrl)),
  prepare: () => false,
  aboutAnotherReference: (response) => say(response, { ...paid, client_reference: null, status: 'succeeded' }),
  failedWith: (code, response) => say(response, { ...paid, payout_error: { error_code: code, error_message: code } }),
})
