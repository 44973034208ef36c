import { unstable_rethrow } from 'next/navigation'
import type { NextRequest } from 'next/server'
import { z } from 'zod'
import { attachmentViewSchema } from '#lib/schemas/payment.ts'
import { readExactAddress } from '#lib/schemas/read-address.ts'
import { findActor } from '#server/back-office/actor.ts'
import { answerAttachment } from '#server/back-office/attachment-response.ts'
import { refuseData, refuseThrown } from '#server/back-office/data-route.ts'
import { isFromAnotherSite } from '#server/back-office/file-response.ts'
import { getT } from '#server/back-office/preferences.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'

type Props = { params: Promise<{ application: string; transactionId: string }> }

/** The file that a maker attached to a transaction, byte for byte, for everybody who may see the transaction. */
export async function GET(request: NextRequest, { params }: Props): Promise<Response> {
  try {
    // Another site must not be able to show it, or to learn from it that a transaction exists.
    if (isFromAnotherSite(request.headers, 'link')) return new Response(null, { status: 403 })
    const { application, transactionId } = await params
    const actor = await findActor(application, 'transaction:read')
    if (!actor.ok) return refuseData(actor.error)
    const view = readExactAddress(attachmentViewSchema, request.nextUrl.searchParams)
    if (!view.ok) return refuseData('invalid')
    if (!z.uuid().safeParse(transactionId).success) return refuseData('not_found')
    const file = { applicationId: actor.value.applicationId, transactionId }
    const answer = await answerAttachment(file, view.value.save !== undefined, request.signal)
    if (answer.ok) return answer.value
    if (answer.error === 'not_found') return refuseData('not_found')
    return new Response((await getT())('payment.attachment.busy'), { status: 503, headers: { 'retry-after': '10' } })
  } catch (error) {
    unstable_rethrow(error)
    reportUnexpected('back office: attachment', error, { message: 'An attachment could not be sent' })
    return refuseThrown(error)
  }
}
