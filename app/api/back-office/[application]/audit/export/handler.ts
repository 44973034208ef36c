import type { NextRequest } from 'next/server'
import { actorWords, describeAct } from '#lib/people/audit-words.ts'
import { auditExportSchema } from '#lib/schemas/page-address.ts'
import { readExactAddress } from '#lib/schemas/read-address.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { answerTable } from '#server/back-office/data-route.ts'
import { refuseRequest } from '#server/back-office/file-response.ts'
import { getT } from '#server/back-office/preferences.ts'
import { readAuditPages, readAuditRecord } from '#server/reports/audit/audit-record.ts'
import type { TableRows } from '#server/reports/export/csv.ts'

/**
 * The entries of a filter as a table, or the whole record as lines of JSON, with the digests that chain them, so that the chain can be
 * checked outside.
 */
export async function GET(request: NextRequest, { params }: { params: Promise<{ application: string }> }): Promise<Response> {
  const read = readExactAddress(auditExportSchema, request.nextUrl.searchParams)
  if (!read.ok) return refuseRequest(400, request)
  const { format, ...filter } = read.value
  const { application } = await params
  const answer = { application, permission: 'audit:read' as const, fileName: `audit-${application}`, format, signal: request.signal }
  return answerTable(answer, async (actor) => {
    const { reportPool } = backOfficeRuntime()
    const exported = { action: 'audit.exported' as const, subject: actor.applicationId, details: JSON.parse(JSON.stringify(filter)) }
    if (format === 'jsonl') return { ...exported, lines: readAuditRecord(reportPool, actor.applicationId) }
    const t = await getT()
    async function* rows(): TableRows {
      for await (const page of readAuditPages(reportPool, actor, filter)) {
        yield page.map(({ stored, dto }) => [
          { decimal: dto.sequence },
          { instant: dto.at },
          { text: actorWords(t, dto.actor) },
          { text: dto.actor.id ?? dto.actor.kind },
          { text: describeAct(t, dto) },
          { text: dto.action },
          { text: dto.subject },
          { text: dto.address ?? '' },
          { text: JSON.stringify(dto.details) },
          { text: stored.previousHash.toString('hex') },
          { text: stored.hash.toString('hex') },
        ])
      }
    }
    return {
      ...exported,
      title: t('frame.audit'),
      heads: [
        t('audit.number'),
        t('audit.when'),
        t('audit.who'),
        'actor',
        t('audit.what'),
        'action',
        'subject',
        t('audit.where'),
        t('audit.details'),
        t('audit.previousHash'),
        t('audit.hash'),
      ],
      rows: rows(),
    }
  })
}
