import { renderRefusal } from '#server/http/door/refusal.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import type { FilePieces } from '#server/reports/export/export-file.ts'

/**
 * Whether another site made the browser send a request. Browsers that do not say where a request is from are let through; `none` is a person who
 * opened the address, which a link may be and a form or a script is not.
 */
export function isFromAnotherSite(headers: Pick<Headers, 'get'>, from: 'link' | 'script'): boolean {
  const site = headers.get('sec-fetch-site')
  return site !== null && site !== 'same-origin' && !(site === 'none' && from === 'link')
}

/**
 * Answers with a file that is made while it is read: the next piece is requested when the browser has taken the last one. Rejects when already
 * the first piece cannot be made: the status is then still to be chosen. A browser that goes away ends the making; a later piece
 * that cannot be made breaks the transfer off without its end, so that half a file never looks whole.
 */
export async function toFileResponse(
  file: FilePieces,
  { type, fileName, headers = {} }: { type: string; fileName: string; headers?: Readonly<Record<string, string>> },
  signal: AbortSignal,
): Promise<Response> {
  const giveUp = () =>
    file
      .return()
      .catch((error: unknown) => reportUnexpected('files: end', error, { message: 'A file without a reader could not be closed' }))
  const first = await file.next()
  if (signal.aborted) await giveUp()
  signal.addEventListener('abort', () => void giveUp(), { once: true })
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      if (first.done) controller.close()
      else controller.enqueue(new Uint8Array(first.value))
    },
    async pull(controller) {
      try {
        const step = await file.next()
        if (step.done) controller.close()
        else controller.enqueue(new Uint8Array(step.value))
      } catch (error) {
        reportUnexpected('files: write', error, { message: 'A file could not be finished; its transfer is broken off' })
        controller.error(error)
      }
    },
    async cancel() {
      await giveUp()
    },
  })
  // A name made by us, from a slug and a time: no character in it needs quoting. Any other is written in `headers`.
  return new Response(body, {
    headers: {
      'content-type': type,
      'content-disposition': `attachment; filename="${fileName}"`,
      'cache-control': 'private, no-store',
      'x-accel-buffering': 'no',
      ...headers,
    },
  })
}

/** The refusal of a route handler that people may call with a form or a link: a page for them, `{ code }` for programs. `status` is a 4xx. */
export function refuseRequest(status: number, request: Request): Response {
  const { headers, contentType, body } = renderRefusal(
    { status },
    {
      path: new URL(request.url).pathname,
      accept: request.headers.get('accept'),
      cookie: request.headers.get('cookie'),
      acceptLanguage: request.headers.get('accept-language'),
      isAction: false,
    },
  )
  return new Response(body, { status, headers: { ...headers, 'content-type': contentType } })
}
