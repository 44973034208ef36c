import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { testLostResponses } from '#server/operators/testing/lost-responses.ts'
import { escapeXml } from '#server/operators/xml/xml-tree.ts'
import { createMoovConnector } from './moov-connector.ts'
import { aMoovSubmission, moovAnswer, moovSettings } from './testing.ts'

function say(response: ServerResponse, fields: Record<string, string>): void {
  response.writeHead(200, { 'content-type': 'text/xml' }).end(moovAnswer('getTransactionStatus', 'response', fields))
}

for (const [name, submission] of [
  ['Moov, payments', aMoovSubmission()],
  ['Moov, transfers', aMoovSubmission({ type: 'DEPOSIT' })],
] as const) {
  testLostResponses({
    name,
    submission,
    connect: (baseUrl, context) => createMoovConnector({ ...context, operator: 'BJMOOV' }, moovSettings(baseUrl)),
    prepare: () => false,
    aboutAnotherReference: (response) => say(response, { status: '0', referenceid: '1', transid: randomUUID() }),
    // Control characters that XML forbids make an answer unreadable, which create-moov-connector.test.ts proves.
    failedWith: (text, response) =>
      say(response, { description: escapeXml(text), status: '13', referenceid: '1', transid: submission.reference }),
  })
}
