import { unstable_rethrow } from 'next/navigation'
import type { NextRequest } from 'next/server'
import type { z } from 'zod'
import type { Permission } from '#lib/people/permissions.ts'
import type { Result } from '#lib/result.ts'
import { readExactAddress } from '#lib/schemas/read-address.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { type BackOfficeActor, findActor } from './actor.ts'
import { refuseData, refuseThrown } from './data-route.ts'
import { isFromAnotherSite } from './file-response.ts'

/**
 * The inside of an address that takes the bytes of a file. Refuses requests of other sites: the content type is one that a page of another
 * origin can send only after asking, and the browser says where a request comes from. Then loads the actor and parses the query.
 */
export async function answerUpload<Schema extends z.ZodType>(
  request: NextRequest,
  { application, permission, schema }: { application: string; permission: Permission; schema: Schema },
  handler: (actor: BackOfficeActor, query: z.infer<Schema>) => Promise<Result<unknown, string>>,
): Promise<Response> {
  try {
    if (isFromAnotherSite(request.headers, 'script')) return refuseData('forbidden')
    const actor = await findActor(application, permission)
    if (!actor.ok) return refuseData(actor.error)
    const query = readExactAddress(schema, request.nextUrl.searchParams)
    if (!query.ok || request.headers.get('content-type') !== 'application/octet-stream') return refuseData('invalid')
    const result = await handler(actor.value, query.value)
    return result.ok ? Response.json(result.value) : refuseData(result.error === 'not_permitted' ? 'forbidden' : result.error)
  } catch (error) {
    unstable_rethrow(error)
    reportUnexpected('back office: upload', error, { permission, message: 'A part of a file could not be stored' })
    return refuseThrown(error)
  }
}
