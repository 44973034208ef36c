import { unstable_rethrow } from 'next/navigation'
import type { z } from 'zod'
import type { Permission } from '#lib/permissions.ts'
import { readExactAddress } from '#lib/schemas/read-address.ts'
import { type BackOfficeActor, findActor } from './actor.ts'
import { backOfficeRuntime } from './back-office-runtime.ts'

/**
 * The inside of an address that answers a small table as a file. Loads the actor, asks the permission table and parses the query (400 for
 * anything in it that the schema does not allow); `fileName` gets the time (UTC) and `.csv`. The handler gives the file's text, or null
 * where there is no such thing.
 */
export async function answerCsv<Schema extends z.ZodType>(
  request: { application: string; permission: Permission; fileName: string; schema: Schema; searchParams: URLSearchParams },
  handler: (actor: BackOfficeActor, query: z.output<Schema>) => Promise<string | null>,
): Promise<Response> {
  try {
    const actor = await findActor(request.application, request.permission)
    if (!actor.ok) return new Response(null, { status: actor.error === 'unauthenticated' ? 401 : actor.error === 'not_found' ? 404 : 403 })
    const query = readExactAddress(request.schema, request.searchParams)
    if (!query.ok) return new Response(null, { status: 400 })
    const text = await handler(actor.value, query.value)
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
