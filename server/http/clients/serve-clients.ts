import { CLIENT_FILES, CLIENT_LANGUAGES, type ClientLanguage, clientPath } from '#lib/partner/reference.ts'
import { ok } from '#lib/result.ts'
import type { OpenEndpoint } from '../api/endpoint.ts'
import { readClient } from './client-files.ts'

/** GET /api/v2/clients/countersign.ts, .py and .php: a client to download. Public, as the document that it is made from. */
export const clients: readonly OpenEndpoint[] = CLIENT_LANGUAGES.map(serveClient)

function serveClient(language: ClientLanguage): OpenEndpoint {
  let body: Buffer<ArrayBuffer> | undefined
  return {
    kind: 'open',
    name: `clients/${CLIENT_FILES[language]}`,
    method: 'GET',
    path: clientPath(language),
    isUnrecorded: true,
    async respond() {
      body ??= Buffer.from(readClient(language))
      // As a file for every browser: some would run or play what they take its name for.
      const headers = { 'content-disposition': `attachment; filename="${CLIENT_FILES[language]}"` }
      return ok({ status: 200, body, contentType: 'text/plain; charset=utf-8', headers })
    },
  }
}
