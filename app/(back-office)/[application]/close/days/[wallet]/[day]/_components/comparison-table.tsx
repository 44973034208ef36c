import { Money } from '#components/domain/money.tsx'
import { ListTable } from '#components/ui/display/table.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import { CURRENCIES } from '#lib/money/money.ts'
import type { WalletDayDto } from '#lib/reconciliation/days.ts'

/** An amount of a wallet's day; a dash where there is none. */
export function Amount({ day, amount }: { day: WalletDayDto; amount: string | null }) {
  const currency = CURRENCIES.find((each) => each === day.currency) ?? 'XAF'
  return amount === null ? '–' : <Money amount={amount} currency={currency} />
}

/** Our booking, the statement's figure, and the difference. */
export function ComparisonTable({ t, day }: { t: Translate; day: WalletDayDto }) {
  const isSum = (name: string) => name === 'movement' || name === 'closing'
  return (
    <ListTable
      label={t('close.comparison')}
      isList
      rows={day.rows}
      keyOf={({ name }) => name}
      rowClass={({ name }) => (isSum(name) ? 'font-strong' : '')}
      columns={[
        { head: t('close.figure'), cell: ({ name }) => t(`close.row.${name}`) },
        { head: t('close.ours'), align: 'end', isLabelled: true, cell: ({ ours }) => <Amount day={day} amount={ours} /> },
        { head: t('close.statement'), align: 'end', isLabelled: true, cell: ({ statement }) => <Amount day={day} amount={statement} /> },
        {
          head: t('close.difference'),
          align: 'end',
          isLabelled: true,
          cell: ({ difference }) => (difference === '0' ? <span className="text-quiet">0</span> : <Amount day={day} amount={difference} />),
        },
      ]}
    />
  )
}
