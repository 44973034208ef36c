import type { ServerResponse } from 'node:http'
import { testLostResponses } from '#server/operators/testing/lost-responses.ts'
import { orderIdOf } from './messages.ts'
import { createOrangeCmConnector } from './orange-cm-connector.ts'
import { anOrangeCmSubmission, orangeCmSettings } from './testing.ts'

// With a payToken: what is lost is the answer to the call that moves money. Losing that of `init` has a test of its own.
const payToken = 'MP22120771FEB7B21FD2381C3786'
const submission = anOrangeCmSubmission({ operatorToken: payToken })

function say(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

testLostResponses({
  name: 'Orange Cameroon',
  submission,
  connect: (baseUrl, context) => createOrangeCmConnector({ ...context, operator: 'OMCM' }, orangeCmSettings(baseUrl)),
  prepare(request, response) {
    if (request.url !== '/token') return false
    say(response, { access_token: 'token', token_type: 'Bearer', expires_in: 2496 })
    return true
  },
  aboutAnotherReference: (response) =>
    say(response, { message: 'x', data: { payToken: 'MP22120771FEB7B21FD2381C3787', status: 'SUCCESSFULL', txnid: 'MP1' } }),
  failedWith: (code, response) =>
    say(response, { message: 'x', data: { payToken, txnmode: orderIdOf(submission.reference), status: 'FAILED', inittxnstatus: code } }),
})
