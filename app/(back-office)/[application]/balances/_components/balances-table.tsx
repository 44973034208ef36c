import { useState } from 'react'
import { Money } from '#components/domain/money.tsx'
import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { type Column, ListTable } from '#components/ui/display/table.tsx'
import { Select } from '#components/ui/field.tsx'
import { Link } from '#components/ui/link.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import type { BalanceCard } from '#lib/finance/finance-dto.ts'
import { addDecimals, type Currency, parseMinor } from '#lib/money/money.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { paths } from '#lib/pages/paths.ts'

type Balance = 'deposit' | 'collect' | 'held' | 'fees'
const BALANCES: readonly Balance[] = ['deposit', 'collect', 'held', 'fees']
const SORTS = ['operator', ...BALANCES] as const
type Sort = (typeof SORTS)[number]

/** A line of the table: an operator, or the sum of all in one currency. Amounts are decimal strings. */
type Row = Record<Balance, string> & { currency: Currency; card: BalanceCard | null }

type Props = { application: string; cards: readonly BalanceCard[]; canReadStatement: boolean }

/** All balances below each other, with their sums per currency: for comparing. The largest first, once a balance is chosen. */
export function BalancesTable({ application, cards, canReadStatement }: Props) {
  const { t } = useTranslations()
  const [sort, setSort] = useState<Sort>('operator')
  const figure = (balance: Balance): Column<Row> => ({
    head: t(`balances.${balance}`),
    align: 'end',
    isLabelled: true,
    cell: (row) => (
      <Money
        amount={row[balance]}
        currency={row.currency}
        className={balance === 'deposit' && row.card?.isLow ? 'text-bad' : row.card === null ? 'font-strong' : ''}
      />
    ),
  })
  const columns: Column<Row>[] = [
    {
      head: t('balances.operator'),
      cell: ({ card, currency }) => {
        if (card === null) return <span className="font-strong">{t('balances.sum', { currency })}</span>
        const mark = <OperatorMark code={card.operator} />
        return canReadStatement ? (
          <Link href={paths.statement(application, card.operator)} className="hover:underline">
            {mark}
          </Link>
        ) : (
          mark
        )
      },
    },
    ...BALANCES.map(figure),
  ]
  return (
    <>
      <div className="no-print mt-4 max-w-60">
        <Select id="balances-sort" label={t('balances.sort')} value={sort} onChange={({ target }) => setSort(readSort(target.value))}>
          {SORTS.map((each) => (
            <option key={each} value={each}>
              {t(`balances.${each}`)}
            </option>
          ))}
        </Select>
      </div>
      <ListTable
        label={t('frame.balances')}
        columns={columns}
        rows={rowsOf(cards, sort)}
        keyOf={({ card, currency }) => card?.operator ?? currency}
        rowClass={({ card }) => (card === null ? 'bg-sunken' : '')}
        isList
        className="mt-3"
      />
    </>
  )
}

function readSort(text: string): Sort {
  return SORTS.find((each) => each === text) ?? 'operator'
}

/** The operators of each currency, then their sum. Currencies are in the order in which the cards have them. */
function rowsOf(cards: readonly BalanceCard[], sort: Sort): Row[] {
  const byCurrency = Map.groupBy(cards, ({ operator }) => OPERATORS[operator].country.currency)
  return [...byCurrency].flatMap(([currency, own]) => {
    const rows = own.map(
      (card): Row => ({ card, currency, deposit: card.deposit, collect: card.collect, held: card.held, fees: card.fees }),
    )
    const sorted = sort === 'operator' ? rows : rows.toSorted((left, right) => compare(right[sort], left[sort]))
    const sumOf = (balance: Balance) => rows.reduce((sum, row) => addDecimals(sum, row[balance]), '0')
    return [
      ...sorted,
      { card: null, currency, deposit: sumOf('deposit'), collect: sumOf('collect'), held: sumOf('held'), fees: sumOf('fees') },
    ]
  })
}

function compare(left: string, right: string): number {
  const difference = parseMinor(left) - parseMinor(right)
  return difference > 0n ? 1 : difference < 0n ? -1 : 0
}
