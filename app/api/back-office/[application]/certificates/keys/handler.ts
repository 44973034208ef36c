import type { NextRequest } from 'next/server'
import { runsInstallation } from '#server/applications/terms-store.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { answerTable } from '#server/back-office/data-route.ts'
import { writePublicKeys } from '#server/reconciliation/certificates/certificate-files.ts'

type Props = { params: Promise<{ application: string }> }

/** The public keys with which certificates were signed, as lines of JSON. */
export async function GET(request: NextRequest, { params }: Props): Promise<Response> {
  const { application } = await params
  const answer = {
    application,
    permission: 'reconciliation:read' as const,
    fileName: 'certificate-keys',
    format: 'jsonl' as const,
    signal: request.signal,
  }
  return answerTable(answer, async ({ applicationId }) => {
    const { reportPool } = backOfficeRuntime()
    if (!(await runsInstallation(reportPool, applicationId))) return null
    const lines = writePublicKeys(reportPool, applicationId)
    return { action: 'certificates.exported', subject: 'keys', details: {}, format: 'jsonl', lines }
  })
}
