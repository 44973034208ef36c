import { Button, ButtonLink } from '#components/ui/button.tsx'
import { EmptyState } from '#components/ui/display/empty-state.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import { Select, TextField } from '#components/ui/field.tsx'
import { Link } from '#components/ui/link.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/pages/paths.ts'
import { can } from '#lib/people/permissions.ts'
import { type JournalFilter, journalFilterSchema } from '#lib/reconciliation/journal.ts'
import { walletText } from '#lib/reconciliation/wallet-words.ts'
import { WALLETS } from '#lib/reconciliation/wallets.ts'
import { readAddress } from '#lib/schemas/read-address.ts'
import { dayIn } from '#lib/time/format-time.ts'
import { monthEnd } from '#lib/time/time.ts'
import { requireInstaller } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { listChanges } from '#server/changes/list-changes.ts'
import { readCodes } from '#server/reconciliation/journal/journal-accounts.ts'
import { JOURNAL_PAGE_SIZE, readJournalPage } from '#server/reconciliation/journal/read-journal.ts'
import { ChangeList } from '../../_components/changes/change-list.tsx'
import { PageContent, type PageProps, titled } from '../../_components/page-content.tsx'
import { WrongAddress } from '../../_components/wrong-address.tsx'
import { CloseTabs } from '../_components/close-tabs.tsx'
import { AccountsCard } from './_components/accounts-card.tsx'
import { EntryTable } from './_components/entry-table.tsx'
import { ExportForm } from './_components/export-form.tsx'

export const generateMetadata = titled('close.journal')

/** The journal entries of signed days, the newest first; their files; and the accounts on which they are booked. */
export default async function JournalPage({ params, searchParams }: PageProps) {
  const { application } = await params
  const actor = await requireInstaller(application, 'reconciliation:read')
  const read = readAddress(journalFilterSchema, await searchParams)
  if (!read.ok) return <WrongAddress href={paths.journal(application)} />
  const filter = read.value
  const { pool, clock } = backOfficeRuntime()
  const { applicationId } = actor
  const [t, locale, { rows, total }, { codes }, { changes }] = await Promise.all([
    getT(),
    readLocale(),
    readJournalPage(pool, { applicationId, ...filter }),
    readCodes(pool, applicationId),
    listChanges(pool, { applicationId, kinds: ['journal.accounts'], actor }),
  ])
  const newest = rows[0]
  const month = (newest?.day ?? dayIn(actor.businessZone, clock.now())).slice(0, 7)
  const period = { from: filter.from ?? `${month}-01`, to: filter.to ?? monthEnd(month) }
  const { page, ...others } = filter
  const hrefFor = (each: number) => paths.journal(application, { ...others, page: each === 0 ? null : each + 1 })
  return (
    <PageContent words={['close.', 'change.', 'journal.']}>
      <PageHeader title={t('frame.close')} lead={t('journal.lead')} />
      <CloseTabs t={t} application={application} current="journal" />
      <Filters t={t} application={application} filter={filter} />
      {rows.length === 0 && <EmptyState icon="file" title={t('journal.none')} text={t('journal.noneText')} />}
      {rows.length > 0 && <EntryTable t={t} application={application} rows={rows} />}
      <nav aria-label={t('close.journal')} className="no-print mt-3 flex gap-2 empty:hidden">
        {page > 0 && <ButtonLink href={hrefFor(page - 1)}>{t('settlements.pageBefore')}</ButtonLink>}
        {(page + 1) * JOURNAL_PAGE_SIZE < total && <ButtonLink href={hrefFor(page + 1)}>{t('settlements.pageAfter')}</ButtonLink>}
      </nav>
      {can(actor.roles, 'accounting:export') && (
        <ExportForm t={t} locale={locale} application={application} period={period} currency={newest?.currency ?? 'XAF'} />
      )}
      <AccountsCard t={t} application={application} codes={codes} mayChange={can(actor.roles, 'accounting:change')} />
      <ChangeList t={t} locale={locale} application={application} changes={changes} />
    </PageContent>
  )
}

/** The filters as a form that needs no script: its fields become the address. */
function Filters({ t, application, filter }: { t: Translate; application: string; filter: JournalFilter }) {
  const isFiltered = filter.from !== null || filter.to !== null || filter.wallet !== null
  return (
    <form action={paths.journal(application)} className="no-print mt-5 flex flex-wrap items-end gap-3">
      <div className="w-40 max-sm:w-[calc(50%-0.375rem)]">
        <TextField id="filter-from" name="from" type="date" label={t('journal.from')} defaultValue={filter.from ?? ''} />
      </div>
      <div className="w-40 max-sm:w-[calc(50%-0.375rem)]">
        <TextField id="filter-to" name="to" type="date" label={t('journal.to')} defaultValue={filter.to ?? ''} />
      </div>
      <div className="w-56 max-sm:w-full">
        <Select id="filter-wallet" name="wallet" label={t('close.wallet')} defaultValue={filter.wallet ?? ''}>
          <option value="">{t('exceptions.filter.anyWallet')}</option>
          {WALLETS.map(({ wallet }) => (
            <option key={wallet} value={wallet}>
              {walletText(t, wallet)}
            </option>
          ))}
        </Select>
      </div>
      <Button type="submit">{t('ui.apply')}</Button>
      {isFiltered && (
        <Link href={paths.journal(application)} className="py-1.5 text-accent underline">
          {t('ui.clear')}
        </Link>
      )}
    </form>
  )
}
