import type { ServerResponse } from 'node:http'
import { testLostResponses } from '#server/operators/testing/lost-responses.ts'
import { newOrderId } from './messages.ts'
import { createOrangeWebConnector } from './orange-web-connector.ts'
import { anOrangeWebSubmission, orangeWebSettings } from './testing.ts'

const identified = anOrangeWebSubmission()
const orderId = newOrderId(identified.reference)

function say(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

testLostResponses({
  name: 'Orange Web Payment',
  submission: { ...identified, operatorReference: orderId, operatorToken: 'a pay_token' },
  connect: (baseUrl, context) => createOrangeWebConnector(context, orangeWebSettings(baseUrl)),
  prepare(request, response) {
    if (request.url !== '/oauth/v3/token') return false
    say(response, 200, { token_type: 'Bearer', access_token: 'token', expires_in: '3600' })
    return true
  },
  aboutAnotherReference: (response) => say(response, 201, { status: 'SUCCESS', order_id: newOrderId(identified.reference), txnid: 'MP1' }),
  failedWith: (text, response) => say(response, 201, { status: 'FAILED', order_id: orderId, txnid: text, message: text }),
})
