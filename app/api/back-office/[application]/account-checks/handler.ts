import { unstable_rethrow } from 'next/navigation'
import type { NextRequest } from 'next/server'
import { accountCheckSchema } from '#lib/schemas/payment.ts'
import { readExactAddress } from '#lib/schemas/read-address.ts'
import { findActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { refuseData, refuseThrown } from '#server/back-office/data-route.ts'
import { isFromAnotherSite } from '#server/back-office/file-response.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'

/**
 * Has an operator asked about the account of a number. A request of its own and no server action: React sends those one after the other, and an
 * operator that answers late would keep the payment from being sent.
 */
export async function POST(request: NextRequest, { params }: { params: Promise<{ application: string }> }): Promise<Response> {
  try {
    // Each check counts, so no other site may make a browser use them up.
    if (isFromAnotherSite(request.headers, 'script')) return refuseData('forbidden')
    const { application } = await params
    const actor = await findActor(application, 'transaction:create')
    if (!actor.ok) return refuseData(actor.error)
    const account = readExactAddress(accountCheckSchema, request.nextUrl.searchParams)
    if (!account.ok) return refuseData('invalid')
    const { id, applicationId } = actor.value
    const checked = await backOfficeRuntime().accountChecks.check({ ...account.value, applicationId, asker: { kind: 'person', id } })
    const headers = { 'cache-control': 'private, no-store' }
    return checked.ok ? Response.json(checked.value, { headers }) : Response.json(checked.error, { status: 429, headers })
  } catch (error) {
    unstable_rethrow(error)
    reportUnexpected('back office: account check', error, { message: 'An account could not be checked' })
    return refuseThrown(error)
  }
}
