import { CLIENT_FILES, CLIENT_LANGUAGES, type ClientLanguage, clientPath, LISTEN_FILE, LISTEN_PATH } from '#lib/partner/reference.ts'
import { ok } from '#lib/result.ts'
import type { OpenEndpoint } from '../api/endpoint.ts'
import { readClient } from './client-files.ts'
import { packListen } from './pack-listen.ts'

/**
 * GET /api/v2/clients/countersign.ts, .py and .php: a client to download; countersign-1.0.0.tgz: the program that brings webhooks to a developer's
 * machine, which npm installs from this address. Public, as the document that the clients are made from.
 */
export const clients: readonly OpenEndpoint[] = [
  ...CLIENT_LANGUAGES.map(serveClient),
  serveFile({ name: LISTEN_FILE, path: LISTEN_PATH, contentType: 'application/gzip', read: packListen }),
]

function serveClient(language: ClientLanguage): OpenEndpoint {
  return serveFile({
    name: CLIENT_FILES[language],
    path: clientPath(language),
    contentType: 'text/plain; charset=utf-8',
    read: () => Buffer.from(readClient(language)),
  })
}

type ServedFile = { name: string; path: string; contentType: string; read(): Buffer<ArrayBuffer> }

function serveFile({ name, path, contentType, read }: ServedFile): OpenEndpoint {
  let body: Buffer<ArrayBuffer> | undefined
  return {
    kind: 'open',
    name: `clients/${name}`,
    method: 'GET',
    path,
    isUnrecorded: true,
    async respond() {
      body ??= read()
      // As a file for every browser: some would run or play what they take its name for.
      return ok({ status: 200, body, contentType, headers: { 'content-disposition': `attachment; filename="${name}"` } })
    },
  }
}
