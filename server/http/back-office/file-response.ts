import { backOfficeRuntime } from './back-office-runtime.ts'

/**
 * Answers a file that is made while it is read: the next piece is asked for when the browser took the last one. A browser that goes
 * away ends the making; a piece that cannot be made breaks the transfer off, so that half a file never looks whole.
 */
export function toFileResponse(
  file: AsyncGenerator<Buffer, void, undefined>,
  { type, fileName }: { type: string; fileName: string },
  signal: AbortSignal,
): Response {
  signal.addEventListener('abort', () => void file.return().catch(() => undefined))
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const step = await file.next()
        if (step.done) controller.close()
        else controller.enqueue(new Uint8Array(step.value))
      } catch (error) {
        backOfficeRuntime().logger.error({ error }, 'A file could not be finished')
        controller.error(error)
      }
    },
    async cancel() {
      await file.return()
    },
  })
  // Made by us from a slug and a time: no character in it needs quoting.
  return new Response(body, {
    headers: {
      'content-type': type,
      'content-disposition': `attachment; filename="${fileName}"`,
      'cache-control': 'private, no-store',
      'x-accel-buffering': 'no',
    },
  })
}
