import { ExportLinks } from '#components/domain/export-links.tsx'
import { DaysNote } from '#components/domain/time-text.tsx'
import { Button, ButtonLink } from '#components/ui/button.tsx'
import { EmptyState } from '#components/ui/display/empty-state.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import { Select, TextField } from '#components/ui/field.tsx'
import { Link } from '#components/ui/link.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths, type QueryValues } from '#lib/pages/paths.ts'
import { AUDIT_ACTIONS } from '#lib/people/audit-actions.ts'
import { actionWords } from '#lib/people/audit-words.ts'
import { type AuditListFilter, auditListSchema } from '#lib/schemas/page-address.ts'
import { readAddress } from '#lib/schemas/read-address.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT } from '#server/back-office/preferences.ts'
import { listAuditEntries } from '#server/reports/audit/audit-record.ts'
import { listMemberNames } from '#server/reports/transaction-search/search-store.ts'
import { PageContent, type PageProps, titled } from '../_components/page-content.tsx'
import { WrongAddress } from '../_components/wrong-address.tsx'
import { AuditList } from './_components/audit-list.tsx'
import { ChainCheck } from './_components/chain-check.tsx'

export const generateMetadata = titled('frame.audit')

/** Who did what, when and from where, newest first. */
export default async function AuditPage({ params, searchParams }: PageProps) {
  const { application } = await params
  const actor = await requireActor(application, 'audit:read')
  const read = readAddress(auditListSchema, await searchParams)
  if (!read.ok) return <WrongAddress href={paths.audit(application)} />
  const { before: _, after: __, ...filter } = read.value
  const { pool } = backOfficeRuntime()
  const [t, members, { entries, newer, older }] = await Promise.all([
    getT(),
    listMemberNames(pool, actor.applicationId),
    listAuditEntries(pool, actor, read.value),
  ])
  const isFiltered = Object.values(filter).some((value) => value !== undefined && value !== null)
  return (
    <PageContent words={['audit.check.', 'table.']}>
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
    </PageContent>
  )
}

type AuditFiltersProps = {
  t: Translate
  application: string
  filter: Omit<AuditListFilter, 'before' | 'after'>
  members: readonly { personId: string; name: string }[]
  isFiltered: boolean
}

/** A plain form: the address holds the filter. */
function AuditFilters({ t, application, filter, members, isFiltered }: AuditFiltersProps) {
  const actions = AUDIT_ACTIONS.map((action) => ({ action, words: actionWords(t, action) }))
  return (
    <form method="get" action={paths.audit(application)} className="no-print flex flex-wrap items-end gap-3">
      <div className="min-w-36 flex-1 basis-36">
        <Select id="audit-who" name="who" label={t('audit.who')} defaultValue={filter.who ?? ''}>
          <option value="">{t('audit.anyone')}</option>
          <optgroup label={t('audit.people')}>
            {members.map(({ personId, name }) => (
              <option key={personId} value={personId}>
                {name}
              </option>
            ))}
          </optgroup>
          <optgroup label={t('audit.others')}>
            {(['system', 'api', 'operator'] as const).map((kind) => (
              <option key={kind} value={kind}>
                {t(`audit.by.${kind}`)}
              </option>
            ))}
          </optgroup>
        </Select>
      </div>
      <div className="min-w-36 flex-1 basis-40">
        <Select id="audit-action" name="action" label={t('audit.action')} defaultValue={filter.action ?? ''}>
          <option value="">{t('audit.anything')}</option>
          {actions.map(({ action, words }) => (
            <option key={action} value={action}>
              {words}
            </option>
          ))}
        </Select>
      </div>
      <div className="min-w-36">
        <TextField id="audit-from" name="from" type="date" label={t('audit.from')} defaultValue={filter.from ?? ''} />
      </div>
      <div className="min-w-36">
        <TextField id="audit-to" name="to" type="date" label={t('audit.to')} defaultValue={filter.to ?? ''} />
      </div>
      <div className="min-w-40 flex-1 basis-40">
        <TextField
          id="audit-subject"
          name="subject"
          type="search"
          label={t('audit.subject')}
          placeholder={t('audit.subjectHint')}
          defaultValue={filter.subject ?? ''}
          maxLength={400}
        />
      </div>
      <Button type="submit">{t('ui.apply')}</Button>
      {isFiltered && (
        <Link href={paths.audit(application)} className="py-1 text-accent hover:underline">
          {t('ui.clear')}
        </Link>
      )}
    </form>
  )
}

type CursorLinksProps = { t: Translate; application: string; filter: QueryValues; newer: string | null; older: string | null }

/** The pages before and after. An address names the entry at its edge, so it shows the same entries tomorrow. */
function CursorLinks({ t, application, filter, newer, older }: CursorLinksProps) {
  if (newer === null && older === null) return null
  return (
    <nav aria-label={t('audit.pages')} className="no-print flex justify-end gap-2">
      {newer !== null && <ButtonLink href={paths.audit(application, { ...filter, after: newer })}>{t('audit.newer')}</ButtonLink>}
      {older !== null && <ButtonLink href={paths.audit(application, { ...filter, before: older })}>{t('audit.older')}</ButtonLink>}
    </nav>
  )
}
