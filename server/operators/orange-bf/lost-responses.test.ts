import { testLostResponses } from '#server/operators/testing/lost-responses.ts'
import { createOrangeBfConnector } from './orange-bf-connector.ts'
import { anOrangeBfSubmission, orangeBfSettings } from './testing.ts'

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;' }
/** As an operator has to write it: XML cannot hold control characters. */
const xmlText = (text: string) =>
  text
    .toWellFormed()
    .replaceAll(/[&<]/g, (sign) => ENTITIES[sign] ?? '')
    .replaceAll(/\p{Cc}/gu, ' ')

testLostResponses({
  name: 'Orange Burkina Faso',
  submission: anOrangeBfSubmission(),
  connect: (baseUrl, context) =>
    createOrangeBfConnector({ ...context, operator: 'BFOM' }, orangeBfSettings(baseUrl, { codeMeanings: { 990499: 'other' } })),
  prepare: () => false,
  hasNoQueries: true,
  aboutAnotherReference: (response) => void response.end(),
  failedWith: (text, response) => void response.end(`<status>990499</status><message>${xmlText(text)}</message>`),
})
