import type { NextRequest } from 'next/server'
import { findWallet } from '#lib/reconciliation/wallets.ts'
import { runsInstallation } from '#server/applications/terms-store.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { answerTable } from '#server/back-office/data-route.ts'
import { writeCertificates } from '#server/reconciliation/certificates/certificate-files.ts'

type Props = { params: Promise<{ application: string }> }

/** Every certificate of a wallet as lines of JSON, which the program of the README verifies. */
export async function GET(request: NextRequest, { params }: Props): Promise<Response> {
  const { application } = await params
  const wallet = findWallet(request.nextUrl.searchParams.get('wallet') ?? '')?.wallet
  const fileName = `certificates-${wallet ?? application}`
  const answer = { application, permission: 'reconciliation:read' as const, fileName, format: 'jsonl' as const, signal: request.signal }
  return answerTable(answer, async ({ applicationId }) => {
    const { reportPool } = backOfficeRuntime()
    if (wallet === undefined || !(await runsInstallation(reportPool, applicationId))) return null
    const lines = writeCertificates(reportPool, { applicationId, wallet })
    return { action: 'certificates.exported', subject: wallet, details: {}, format: 'jsonl', lines }
  })
}
