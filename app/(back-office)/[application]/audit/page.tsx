import type { Metadata } from 'next'
import { DaysNote } from '#components/domain/days-note.tsx'
import { ExportLinks } from '#components/domain/export-links.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { PageMessages } from '#components/ui/translations.tsx'
import { MESSAGES } from '#lib/i18n/messages.ts'
import { pickMessages } from '#lib/i18n/translate.ts'
import { paths } from '#lib/paths.ts'
import { auditListSchema } from '#lib/schemas/audit-address.ts'
import { readAddress } from '#lib/schemas/read-address.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { listAuditEntries } from '#server/reports/audit/list-audit-entries.ts'
import { listMemberNames } from '#server/reports/transaction-search/member-queries.ts'
import { WrongAddress } from '../_components/wrong-address.tsx'
import { AuditFilters } from './_components/audit-filters.tsx'
import { AuditList } from './_components/audit-list.tsx'
import { ChainCheck } from './_components/chain-check.tsx'
import { CursorLinks } from './_components/cursor-links.tsx'

type Props = { params: Promise<{ application: string }>; searchParams: Promise<Record<string, string | string[] | undefined>> }

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getT())('frame.audit') }
}

/** Who did what, when and from where, newest first. */
export default async function AuditPage({ params, searchParams }: Props) {
  const { application } = await params
  const actor = await requireActor(application, 'audit:read')
  const read = readAddress(auditListSchema, await searchParams)
  if (!read.ok) return <WrongAddress href={paths.audit(application)} />
  const { before: _, after: __, ...filter } = read.value
  const { pool } = backOfficeRuntime()
  const [t, locale, members, { entries, newer, older }] = await Promise.all([
    getT(),
    readLocale(),
    listMemberNames(pool, actor.applicationId),
    listAuditEntries(pool, actor, read.value),
  ])
  const isFiltered = Object.values(filter).some((value) => value !== undefined && value !== null)
  return (
    <PageMessages messages={pickMessages(MESSAGES[locale], ['audit.check.', 'table.'])}>
      <PageHeader
        title={t('frame.audit')}
        lead={t('audit.lead')}
        actions={
          <ExportLinks
            application={application}
            rest="audit/export"
            query={filter}
            label={t('audit.export')}
            record={t('audit.exportRecord')}
          />
        }
      />
      <ChainCheck application={application} />
      <div className="mt-6 grid grid-cols-1 gap-4">
        <AuditFilters t={t} application={application} filter={filter} members={members} isFiltered={isFiltered} />
        <p className="text-second">
          <DaysNote zone={actor.businessZone} />
        </p>
        {entries.length === 0 ? (
          <EmptyState icon="shield" title={t(isFiltered ? 'audit.noMatch' : 'audit.none')} text={isFiltered && t('audit.noMatchText')} />
        ) : (
          <AuditList t={t} application={application} entries={entries} memberIds={new Set(members.map(({ personId }) => personId))} />
        )}
        <CursorLinks t={t} application={application} filter={filter} newer={newer} older={older} />
      </div>
    </PageMessages>
  )
}
