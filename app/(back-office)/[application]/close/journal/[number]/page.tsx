import { notFound } from 'next/navigation'
import { Money } from '#components/domain/money.tsx'
import { ButtonLink } from '#components/ui/button.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import { ListTable } from '#components/ui/display/table.tsx'
import { Link } from '#components/ui/link.tsx'
import { paths } from '#lib/pages/paths.ts'
import { dayText, walletText } from '#lib/reconciliation/wallet-words.ts'
import { requireInstaller } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT } from '#server/back-office/preferences.ts'
import { readJournalEntry } from '#server/reconciliation/journal/read-journal.ts'
import { PageContent, type PageProps, titled } from '../../../_components/page-content.tsx'
import { currencyOf } from '../_components/entry-table.tsx'

export const generateMetadata = titled('close.journal')

/** One journal entry with its lines. */
export default async function JournalEntryPage({ params }: PageProps<'number'>) {
  const { application, number } = await params
  const actor = await requireInstaller(application, 'reconciliation:read')
  const { pool } = backOfficeRuntime()
  const found = /^[1-9]\d{0,8}$/.test(number)
    ? await readJournalEntry(pool, { applicationId: actor.applicationId, number: Number(number) })
    : undefined
  if (!found) notFound()
  const t = await getT()
  const { entry, lines } = found
  const currency = currencyOf(entry.currency)
  const money = (amount: string | null) => amount !== null && <Money amount={amount} currency={currency} />
  const other = (key: 'journal.reversalOf' | 'journal.reversedByEntry', of: number | null) =>
    of !== null && (
      <p className="mt-2">
        <Link href={paths.journalEntry(application, of)} className="text-accent underline">
          {t(key, { number: String(of) })}
        </Link>
      </p>
    )
  const rows = [
    ...lines.map((line, place) => ({ ...line, key: place, name: t(`journal.account.${line.account}`), isSum: false })),
    { key: 'sum', code: '', name: t('journal.sum'), auxiliary: null, debit: entry.total, credit: entry.total, isSum: true },
  ]
  return (
    <PageContent words={['close.']}>
      <PageHeader
        title={t('journal.entry', { number })}
        lead={[
          entry.journal,
          walletText(t, entry.wallet),
          dayText(t, entry.day),
          t('journal.version', { version: String(entry.version) }),
        ].join(' · ')}
        actions={
          <>
            <ButtonLink href={paths.journal(application)}>{t('journal.toJournal')}</ButtonLink>
            <ButtonLink href={paths.closeDay(application, entry.wallet, entry.day)}>{t('journal.toDay')}</ButtonLink>
          </>
        }
      />
      {other('journal.reversalOf', entry.reverses)}
      {other('journal.reversedByEntry', entry.reversedBy)}
      <ListTable
        label={t('journal.lines')}
        className="mt-4"
        isList
        rows={rows}
        keyOf={({ key }) => key}
        rowClass={({ isSum }) => (isSum ? 'font-strong' : '')}
        columns={[
          { head: t('journal.code'), cell: ({ code }) => code },
          { head: t('journal.name'), cell: ({ name }) => name },
          { head: t('journal.auxiliary'), cell: ({ auxiliary }) => auxiliary },
          { head: t('journal.debit'), align: 'end', isLabelled: ({ debit }) => debit !== null, cell: ({ debit }) => money(debit) },
          { head: t('journal.credit'), align: 'end', isLabelled: ({ credit }) => credit !== null, cell: ({ credit }) => money(credit) },
        ]}
      />
    </PageContent>
  )
}
