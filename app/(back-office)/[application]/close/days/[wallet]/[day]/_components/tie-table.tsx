import { ListTable } from '#components/ui/display/table.tsx'
import { Link } from '#components/ui/link.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/pages/paths.ts'
import { GRAVE_CLASSES, LINE_CLASSES } from '#lib/reconciliation/classes.ts'
import type { DayTerm, TieDto, WalletDayDto } from '#lib/reconciliation/days.ts'
import { Amount } from './comparison-table.tsx'

type Row = {
  key: string
  label: string
  count?: number
  amount: string | null
  /** The class of lines or postings that its link lists, or the difference. */
  opens?: string
  isSum?: boolean
  isBad?: boolean
}

const OF_LINES: ReadonlySet<string> = new Set(LINE_CLASSES)

type Props = { t: Translate; application: string; day: WalletDayDto; tie: TieDto; chosen: string | null }

/**
 * One sum from top to bottom: opening balance and lines are the closing balance; less our books; and what explains the rest. Each class opens
 * its lines or postings.
 */
export function TieTable({ t, application, day, tie, chosen }: Props) {
  const rows = [...statementRows(t, day, tie), ...bookRows(t, day, tie), ...explanationRows(t, day, tie)]
  return (
    <ListTable
      label={t('close.tie')}
      rows={rows}
      keyOf={({ key }) => key}
      rowClass={({ isSum, opens }) =>
        `${isSum ? 'bg-sunken font-strong' : ''} ${opens !== undefined && opens === chosen ? 'bg-accent-soft' : ''}`
      }
      columns={[
        {
          head: t('close.tie'),
          cell: ({ label, opens, isBad, count }) => {
            const look = isBad ? 'font-strong text-bad' : ''
            return (
              <>
                {opens === undefined ? (
                  <span className={look}>{label}</span>
                ) : (
                  <Link href={paths.closeDay(application, day.wallet, day.day, { class: opens })} className={`underline ${look}`}>
                    {label}
                  </Link>
                )}
                {/* A phone has no room for its column. */}
                {count !== undefined && <span className="text-quiet sm:hidden"> · {count}</span>}
              </>
            )
          },
        },
        { head: t('close.count'), align: 'end', className: 'max-sm:hidden', cell: ({ count }) => count ?? '' },
        {
          head: t('close.amount'),
          align: 'end',
          cellClass: 'whitespace-nowrap',
          cell: ({ amount, isSum, isBad }) => (
            <span className={isSum && isBad ? 'text-bad' : ''}>
              <Amount day={day} amount={amount} />
            </span>
          ),
        },
      ]}
      below={<p className="px-3 py-2 text-second text-quiet">{t(tie.opening === null ? 'close.tie.noBalance' : 'close.tie.note')}</p>}
    />
  )
}

/** The movement of a class of lines, or its part of the difference. */
function classRow(t: Translate, part: 'line' | 'term', { class: name, count, amount }: DayTerm): Row {
  return { key: `${part} ${name}`, label: t(`close.class.${name}`), count, amount, isBad: GRAVE_CLASSES.has(name) }
}

function statementRows(t: Translate, day: WalletDayDto, { opening, isReported, closing }: TieDto): Row[] {
  const begin: Row = {
    key: 'opening',
    label: t(isReported ? 'close.tie.openingReported' : 'close.row.opening'),
    amount: opening,
    isSum: true,
  }
  return [
    ...(opening === null ? [] : [begin]),
    ...day.classes.map((each) => ({ ...classRow(t, 'line', each), opens: each.class })),
    { key: 'line fees', label: t('close.term.fees'), amount: day.fees },
    ...(opening === null || day.proof === null
      ? []
      : [{ key: 'proof', label: t('close.term.proof'), amount: day.proof, isBad: day.proof !== '0' }]),
    { key: 'closing', label: t(opening === null ? 'close.tie.statement' : 'close.row.closing'), amount: closing, isSum: true },
  ]
}

function bookRows(t: Translate, day: WalletDayDto, { booksOpening, booksClosing }: TieDto): Row[] {
  const isKnown = booksOpening !== null
  return [
    ...(isKnown ? [{ key: 'booksOpening', label: t('close.tie.booksOpening'), amount: booksOpening }] : []),
    { key: 'ledger', label: t('close.tie.ledger'), amount: day.ledger },
    { key: 'book', label: t('close.tie.walletBook'), amount: day.book },
    { key: 'booksClosing', label: t(isKnown ? 'close.tie.booksClosing' : 'close.tie.booked'), amount: booksClosing, isSum: true },
  ]
}

function explanationRows(t: Translate, day: WalletDayDto, { opening, difference, carried, unexplained }: TieDto): Row[] {
  // The lines of a class are opened where they are counted, above.
  const terms = day.terms.flatMap((each) => {
    if (OF_LINES.has(each.class)) return each.amount === '0' ? [] : [classRow(t, 'term', each)]
    return [{ ...classRow(t, 'term', each), opens: each.class }]
  })
  const isKnown = opening !== null
  return [
    ...(isKnown ? [{ key: 'less', label: t('close.tie.less'), amount: difference, isSum: true }] : []),
    ...terms,
    { key: 'term fees', label: t('close.term.fees'), amount: day.fees },
    { key: 'difference', label: t('close.term.difference'), amount: day.difference, opens: 'difference', isSum: true },
    ...(isKnown ? [{ key: 'carried', label: t('close.tie.carried'), amount: carried }] : []),
    { key: 'unexplained', label: t('close.term.unexplained'), amount: unexplained, isSum: true, isBad: unexplained !== '0' },
  ]
}
