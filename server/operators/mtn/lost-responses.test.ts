import type { ServerResponse } from 'node:http'
import { testLostResponses } from '#server/operators/testing/lost-responses.ts'
import { createMtnConnector } from './mtn-connector.ts'
import { anMtnSubmission, mtnSettings } from './testing.ts'

const submission = anMtnSubmission()
const externalId = `${submission.reference}.${submission.applicationId}`

function say(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

testLostResponses({
  name: 'MTN',
  submission,
  connect: (baseUrl, context) => createMtnConnector(context, mtnSettings(baseUrl)),
  prepare(request, response) {
    if (request.url !== '/collection/token/') return false
    say(response, { access_token: 'token', token_type: 'access_token', expires_in: 3600 })
    return true
  },
  aboutAnotherReference: (response) => say(response, { status: 'SUCCESSFUL', externalId: 'another', amount: '5000', currency: 'XAF' }),
  failedWith: (reason, response) => say(response, { status: 'FAILED', externalId, reason }),
})
