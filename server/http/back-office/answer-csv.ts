import { unstable_rethrow } from 'next/navigation'
import type { Permission } from '#lib/permissions.ts'
import { type BackOfficeActor, findActor } from './actor.ts'
import { backOfficeRuntime } from './back-office-runtime.ts'

/**
 * The inside of an address that answers a small table as a file. Loads the actor and asks the permission table; `fileName` gets the time (UTC) and `.csv`.
 * The handler gives the file's text, or null where there is no such thing.
 */
export async function answerCsv(
  request: { application: string; permission: Permission; fileName: string },
  handler: (actor: BackOfficeActor) => Promise<string | null>,
): Promise<Response> {
  try {
    const actor = await findActor(request.application, request.permission)
    if (!actor.ok) return new Response(null, { status: actor.error === 'unauthenticated' ? 401 : actor.error === 'not_found' ? 404 : 403 })
    const text = await handler(actor.value)
    if (text === null) return new Response(null, { status: 404 })
    const at = backOfficeRuntime().clock.now().toISOString().slice(0, 19).replaceAll(':', '-')
    return new Response(text, {
      headers: {
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': `attachment; filename="${request.fileName}-${at}Z.csv"`,
        'cache-control': 'private, no-store',
      },
    })
  } catch (error) {
    unstable_rethrow(error)
    backOfficeRuntime().logger.error({ error }, 'A table could not be exported')
    return new Response(null, { status: 500 })
  }
}
