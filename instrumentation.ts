import type { Instrumentation } from 'next'
import { isDatabaseAway } from '#server/database/database-away.ts'
import { hasProcessWide } from '#server/process-wide.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { isReached, noteDatabaseAway } from './server/http/door/pages/page-notes.ts'

/**
 * Next calls this once, before it answers its first request. Where `server/main.ts` has started the service already there is nothing to do;
 * under plain `next start` or `next dev` the service is started here. It is loaded by Node, unbundled: it reads its SQL files and starts its
 * child processes by their paths.
 */
export async function register(): Promise<void> {
  if (hasProcessWide('httpRuntime')) return
  const file = `${process.cwd()}/server/process/start/start-in-next.ts`
  const { startInNext }: typeof import('#server/process/start/start-in-next.ts') = await import(/* turbopackIgnore: true */ file)
  await startInNext()
}

/**
 * Next calls this for every error on the server that a page, a route handler or a server action did not catch: what its error
 * boundaries show the reader is reported here. An error before our own code was reached is about a request that Next could
 * not read; the front door answers it with a 4xx.
 */
export const onRequestError: Instrumentation.onRequestError = (error, request, context) => {
  if (!isReached()) return
  if (isDatabaseAway(error)) noteDatabaseAway()
  // The error page shows it as its reference.
  const reference = error instanceof Error && 'digest' in error ? error.digest : undefined
  reportUnexpected(`pages: ${context.routeType}`, error, { reference, route: context.routePath, method: request.method })
}
