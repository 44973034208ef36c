import { IncomingMessage } from 'node:http'
import { BATCH_FILE_BYTES_MAX } from '#lib/batch-file/file-problem.ts'

/**
 * Forms: sign-in names, passwords and codes, a theme, a language. Also as multipart, which is how React's client sends them: looking for
 * the boundaries of a body that is made for it takes 60 ms per megabyte.
 */
const FORM_BYTES_MAX = 64 * 1024

/** The largest body of a server action with arguments; `next.config.ts` names the same limit. */
const ACTION_BYTES_MAX = 1024 * 1024

/** The path for uploads of payment files, as they are: `app/api/back-office/[application]/batches`. */
const UPLOAD = /^\/api\/back-office\/[^/]+\/batches$/

/** How long the body of a page's request may take: people are on slower links than programs. */
export const PAGE_BODY_TIMEOUT_MS = 30_000

/**
 * The largest body that goes on to the pages, in bytes. Server actions are known by their header; none is posted
 * below /api, where only files of payments are larger than a form.
 */
export function pageBodyMax(path: string, { method, headers }: IncomingMessage): number {
  // A little more than the reader accepts, so that it is the reader that says what to do.
  if (method === 'POST' && UPLOAD.test(path)) return BATCH_FILE_BYTES_MAX + 64 * 1024
  if (method !== 'POST' || path === '/api' || path.startsWith('/api/')) return FORM_BYTES_MAX
  const isForm = (headers['content-type'] ?? '').toLowerCase().startsWith('multipart/')
  return headers['next-action'] !== undefined && !isForm ? ACTION_BYTES_MAX : FORM_BYTES_MAX
}

/**
 * The same request with its body already in memory. The pages buffer every body that they are sent, so they are sent none that has not
 * been measured here.
 */
export function withBody(incoming: IncomingMessage, body: Uint8Array): IncomingMessage {
  const copy = new IncomingMessage(incoming.socket)
  copy.method = incoming.method
  copy.url = incoming.url
  copy.httpVersion = incoming.httpVersion
  copy.httpVersionMajor = incoming.httpVersionMajor
  copy.httpVersionMinor = incoming.httpVersionMinor
  copy.rawHeaders = incoming.rawHeaders
  copy.headers = incoming.headers
  copy.complete = true
  if (body.length > 0) copy.push(body)
  copy.push(null)
  return copy
}
