import { Money } from '#components/domain/money.tsx'
import { TimeText } from '#components/domain/time-text.tsx'
import { ListTable } from '#components/ui/display/table.tsx'
import { Link } from '#components/ui/link.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import { CURRENCIES, type Currency } from '#lib/money/money.ts'
import { paths } from '#lib/pages/paths.ts'
import type { JournalEntryDto } from '#lib/reconciliation/journal.ts'
import { dayText, walletText } from '#lib/reconciliation/wallet-words.ts'

/** Journal entries: what they are about, and their total. */
export function EntryTable({ t, application, rows }: { t: Translate; application: string; rows: readonly JournalEntryDto[] }) {
  return (
    <ListTable
      label={t('close.journal')}
      className="mt-4"
      isList
      rows={rows}
      keyOf={({ number }) => number}
      columns={[
        {
          head: t('journal.number'),
          cellClass: 'whitespace-nowrap',
          cell: ({ number }) => (
            <Link
              href={paths.journalEntry(application, number)}
              aria-label={t('journal.entry', { number: String(number) })}
              className="block py-0.5 font-strong underline"
            >
              {number}
            </Link>
          ),
        },
        { head: t('journal.day'), cellClass: 'whitespace-nowrap', cell: ({ day }) => dayText(t, day) },
        { head: t('journal.wallet'), cell: ({ wallet }) => walletText(t, wallet) },
        { head: t('close.note'), cell: (entry) => <span className="text-quiet">{noteOf(t, entry)}</span> },
        {
          head: t('journal.total'),
          align: 'end',
          isLabelled: true,
          cell: ({ total, currency }) => <Money amount={total} currency={currencyOf(currency)} />,
        },
        { head: t('journal.numberedAt'), cellClass: 'whitespace-nowrap', cell: ({ numberedAt }) => <TimeText at={numberedAt} /> },
      ]}
    />
  )
}

/** The version of the day, and what became of the entry. */
function noteOf(t: Translate, { version, reverses, reversedBy }: JournalEntryDto): string {
  return [
    version > 1 && t('journal.version', { version: String(version) }),
    reverses !== null && t('journal.reverses', { number: String(reverses) }),
    reversedBy !== null && t('journal.reversedBy', { number: String(reversedBy) }),
  ]
    .filter(Boolean)
    .join(' · ')
}

/** The currency of a stored entry. */
export function currencyOf(currency: string): Currency {
  return CURRENCIES.find((each) => each === currency) ?? 'XAF'
}
