import type { NextRequest } from 'next/server'
import { createTranslate } from '#lib/i18n/translate.ts'
import { feeClaimSchema } from '#lib/schemas/page-address.ts'
import { readExactAddress } from '#lib/schemas/read-address.ts'
import { monthEnd, utcDayOf } from '#lib/time/time.ts'
import { runsInstallation } from '#server/applications/terms-store.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { answerTable } from '#server/back-office/data-route.ts'
import { refuseRequest } from '#server/back-office/file-response.ts'
import { MESSAGES } from '#server/messages.ts'
import { claimHeads, claimRows } from '#server/reconciliation/fees/fee-claim.ts'
import { readWallet } from '#server/reconciliation/wallets/wallet-store.ts'

type Props = { params: Promise<{ application: string; wallet: string }> }

/** The claim on an operator for the fees of a month that it billed otherwise than agreed, in its language. */
export async function GET(request: NextRequest, { params }: Props): Promise<Response> {
  const read = readExactAddress(feeClaimSchema, request.nextUrl.searchParams)
  if (!read.ok) return refuseRequest(400, request)
  const { language, format } = read.value
  const month = read.value.month ?? utcDayOf(backOfficeRuntime().clock.now()).slice(0, 7)
  const { application, wallet: id } = await params
  const answer = {
    application,
    permission: 'reconciliation:read' as const,
    fileName: `fee-claim-${id.replace(/[^\w-]/g, '')}-${month}`,
    format,
    signal: request.signal,
  }
  return answerTable(answer, async ({ applicationId }) => {
    const { pool, reportPool } = backOfficeRuntime()
    const wallet = (await runsInstallation(pool, applicationId)) ? await readWallet(pool, applicationId, id) : undefined
    // Without an agreement there is nothing to claim.
    if (!wallet || wallet.feePpm === null) return null
    const t = createTranslate(language, MESSAGES[language])
    const claim = { applicationId, wallet, from: `${month}-01`, to: monthEnd(month), t, locale: language }
    return {
      action: 'fees.exported',
      subject: id,
      title: t('fees.claimTitle'),
      details: { month, language },
      heads: claimHeads(claim),
      rows: claimRows(reportPool, claim),
    }
  })
}
