import { generateKeyPairSync } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { testLostResponses } from '#server/operators/testing/lost-responses.ts'
import { createSonatelConnector } from './sonatel-connector.ts'
import { aSonatelSubmission, sonatelSettings } from './testing.ts'

const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })

/** The calls before the one that moves money. */
const BEFORE: Readonly<Record<string, object>> = {
  '/oauth/v1/token': { token_type: 'Bearer', access_token: 'token', expires_in: 300 },
  '/api/account/v1/publicKeys': {
    keyId: '1',
    keyType: 'RSA',
    keySize: 2_048,
    key: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
  },
}

function say(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

for (const [name, type, settings] of [
  ['Orange Senegal, a payment with a code', 'COLLECT', {}],
  ['Orange Senegal, a QR code', 'COLLECT', { collectBy: 'qr' }],
  ['Orange Senegal, a cash-in', 'DEPOSIT', {}],
] as const) {
  const submission = aSonatelSubmission({ type })
  const { reference } = submission
  testLostResponses({
    name,
    submission,
    connect: (baseUrl, context) => createSonatelConnector({ ...context, operator: 'SNOM' }, sonatelSettings(baseUrl, settings)),
    prepare(request, response) {
      const answer = BEFORE[request.url ?? '']
      if (answer) say(response, answer)
      return answer !== undefined
    },
    aboutAnotherReference: (response) => say(response, [{ transactionId: 'MP1', status: 'SUCCESS', reference: 'another' }]),
    failedWith: (code, response) => say(response, [{ transactionId: 'MP1', status: 'FAILED', reference, code }]),
  })
}
