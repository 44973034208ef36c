import type { ServerResponse } from 'node:http'
import { testLostResponses } from '#server/operators/testing/lost-responses.ts'
import { createAirtelConnector } from './airtel-connector.ts'
import { airtelId } from './messages.ts'
import { airtelSettings, anAirtelSubmission } from './testing.ts'

const submission = anAirtelSubmission()
const id = airtelId(submission)

function say(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

testLostResponses({
  name: 'Airtel',
  submission,
  connect: (baseUrl, context) => createAirtelConnector({ ...context, operator: 'UGAIRTEL' }, airtelSettings(baseUrl)),
  prepare(request, response) {
    if (request.url !== '/auth/oauth2/token') return false
    say(response, { token_type: 'bearer', access_token: 'token', expires_in: '180' })
    return true
  },
  aboutAnotherReference: (response) =>
    say(response, { data: { transaction: { id: '0'.repeat(64), status: 'TS', airtel_money_id: '1' } }, status: { success: true } }),
  failedWith: (code, response) =>
    say(response, { data: { transaction: { id, status: 'TF' } }, status: { code: '200', response_code: code, success: false } }),
})
