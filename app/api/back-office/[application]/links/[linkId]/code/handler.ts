import { unstable_rethrow } from 'next/navigation'
import type { NextRequest } from 'next/server'
import { z } from 'zod'
import { paymentLinkPath } from '#lib/payments/payment-links.ts'
import { readExactAddress } from '#lib/schemas/read-address.ts'
import { findActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { refuseData, refuseThrown } from '#server/back-office/data-route.ts'
import { isFromAnotherSite } from '#server/back-office/file-response.ts'
import { drawCodeFile } from '#server/http/pay/code-file.ts'
import { findPaymentLink } from '#server/payment-links/payment-link-list-store.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'

const query = z.object({ format: z.enum(['svg', 'png']).default('svg') })
const TYPES = { svg: 'image/svg+xml', png: 'image/png' }

type Props = { params: Promise<{ application: string; linkId: string }> }

/** The code of a payment link as a picture to print. */
export async function GET(request: NextRequest, { params }: Props): Promise<Response> {
  try {
    // Another site must not be able to show it, or to learn from it that a link exists.
    if (isFromAnotherSite(request.headers, 'link')) return new Response(null, { status: 403 })
    const { application, linkId } = await params
    const actor = await findActor(application, 'link:read')
    if (!actor.ok) return refuseData(actor.error)
    const parsed = readExactAddress(query, request.nextUrl.searchParams)
    if (!parsed.ok) return refuseData('invalid')
    const { pool, config } = backOfficeRuntime()
    const link = z.uuid().safeParse(linkId).success ? await findPaymentLink(pool, actor.value.applicationId, linkId) : undefined
    if (!link) return refuseData('not_found')
    const { format } = parsed.value
    const body = await drawCodeFile(new URL(paymentLinkPath(link.token), config.publicUrl).href, format)
    const headers = {
      'content-type': TYPES[format],
      'content-disposition': `attachment; filename="payment-link-${linkId.slice(0, 8)}.${format}"`,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    }
    return new Response(body, { headers })
  } catch (error) {
    unstable_rethrow(error)
    reportUnexpected('back office: code of a link', error, { message: 'A code could not be sent' })
    return refuseThrown(error)
  }
}
