import type { ReactNode } from 'react'
import { Money } from '#components/domain/money.tsx'
import { type Column, ListTable } from '#components/ui/display/table.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import { CURRENCIES } from '#lib/money/money.ts'
import type { FeeDayDto } from '#lib/reconciliation/fees.ts'
import { formatCount } from '#lib/text/format.ts'
import { readLocale } from '#server/back-office/preferences.ts'

/** A row of fees: a day or a wallet, or the sum of all. */
export type FeeRow = Omit<FeeDayDto, 'day'> & { key: string; name: ReactNode; currency: string; isSum?: boolean }

/** Agreed and billed fees side by side; an excess is marked. */
export async function FeeTable({ t, label, head, rows }: { t: Translate; label: string; head: string; rows: readonly FeeRow[] }) {
  const locale = await readLocale()
  const figure = (name: string, of: (row: FeeRow) => string | null): Column<FeeRow> => ({
    head: name,
    align: 'end',
    isLabelled: true,
    cell: (row) => {
      const amount = of(row)
      return amount === null ? '–' : <Money amount={amount} currency={CURRENCIES.find((each) => each === row.currency) ?? 'XAF'} />
    },
  })
  return (
    <ListTable
      label={label}
      className="mt-4"
      isList
      rows={rows}
      keyOf={({ key }) => key}
      rowClass={({ isSum }) => (isSum ? 'font-strong' : '')}
      columns={[
        { head, cellClass: 'whitespace-nowrap', cell: ({ name }) => name },
        { head: t('fees.payments'), align: 'end', isLabelled: true, cell: ({ payments }) => formatCount(payments, locale) },
        figure(t('fees.amount'), ({ amount }) => amount),
        figure(t('fees.agreed'), ({ agreed }) => agreed),
        figure(t('fees.billed'), ({ billed }) => billed),
        {
          ...figure(t('fees.difference'), ({ difference }) => difference),
          cell: ({ difference, currency }) =>
            difference === null ? (
              '–'
            ) : (
              <span className={difference === '0' ? 'text-quiet' : 'font-strong text-bad'}>
                <Money amount={difference} currency={CURRENCIES.find((each) => each === currency) ?? 'XAF'} />
              </span>
            ),
        },
      ]}
    />
  )
}
