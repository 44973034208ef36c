import { Money } from '#components/domain/money.tsx'
import { ListTable } from '#components/ui/display/table.tsx'
import { Link } from '#components/ui/link.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import { CURRENCIES } from '#lib/money/money.ts'
import { paths } from '#lib/pages/paths.ts'
import { GRAVE_CLASSES } from '#lib/reconciliation/classes.ts'
import type { DayTerm, WalletDayDto } from '#lib/reconciliation/days.ts'

/** An amount of a wallet's day; a dash where there is none. */
function Amount({ day, amount }: { day: WalletDayDto; amount: string | null }) {
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

type TermRow = {
  key: string
  label: string
  count: number | null
  amount: string | null
  href: string | null
  isGrave: boolean
  isSum: boolean
}
type TermProps = { t: Translate; application: string; day: WalletDayDto; chosen: string | null }

/** The terms that add up to the difference; each opens its lines. */
export function TermTable({ t, application, day, chosen }: TermProps) {
  const termRow = ({ class: name, count, amount }: DayTerm): TermRow => ({
    key: name,
    label: t(`close.class.${name}`),
    count,
    amount,
    href: paths.closeDay(application, day.wallet, day.day, { class: name }),
    isGrave: GRAVE_CLASSES.has(name),
    isSum: false,
  })
  const sumRow = (key: 'fees' | 'proof' | 'difference' | 'unexplained', amount: string | null): TermRow => ({
    key,
    label: t(`close.term.${key}`),
    count: null,
    amount,
    href: key === 'fees' || key === 'difference' ? paths.closeDay(application, day.wallet, day.day, { class: 'difference' }) : null,
    isGrave: key === 'unexplained' && amount !== '0',
    isSum: key === 'difference' || key === 'unexplained',
  })
  const rows = [
    ...day.terms.map(termRow),
    sumRow('fees', day.fees),
    sumRow('difference', day.difference),
    sumRow('proof', day.proof),
    sumRow('unexplained', day.unexplained),
  ]
  return (
    <ListTable
      label={t('close.explanation')}
      rows={rows}
      keyOf={({ key }) => key}
      rowClass={({ isSum, key }) => `${isSum ? 'font-strong' : ''} ${key === chosen ? 'bg-accent-soft' : ''}`}
      columns={[
        {
          head: t('close.explanation'),
          cell: ({ label, href, isGrave }) =>
            href === null ? (
              <span className={isGrave ? 'text-bad' : ''}>{label}</span>
            ) : (
              <Link href={href} className={`underline ${isGrave ? 'font-strong text-bad' : ''}`}>
                {label}
              </Link>
            ),
        },
        { head: t('close.count'), align: 'end', cell: ({ count }) => count ?? '' },
        {
          head: t('close.amount'),
          align: 'end',
          cell: ({ amount, isGrave, isSum }) => (
            <span className={isGrave && isSum ? 'text-bad' : ''}>
              <Amount day={day} amount={amount} />
            </span>
          ),
        },
      ]}
    />
  )
}
