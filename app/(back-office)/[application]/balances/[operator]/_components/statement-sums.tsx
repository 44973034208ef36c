import type { ReactNode } from 'react'
import { Money } from '#components/domain/money.tsx'
import { EmptyState } from '#components/ui/display/empty-state.tsx'
import { type Column, ListTable } from '#components/ui/display/table.tsx'
import { Link } from '#components/ui/link.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import type { LineFilter, StatementDay, StatementDto } from '#lib/finance/finance-dto.ts'
import { addDecimals } from '#lib/money/money.ts'
import { formatAmount, formatCount } from '#lib/text/format.ts'
import { addDays } from '#lib/time/time.ts'
import { FIGURE_LINK, useDays } from '../../../_components/finance/finance-figures.ts'

type LinesHref = (kind: LineFilter | null, dates?: { from: string | null; to: string }) => string

/** Opening, movements and closing, and the balances at both ends. Each figure links to the lines that add up to it. */
export function StatementSums({ data, hrefOf }: { data: StatementDto; hrefOf: LinesHref }) {
  const { t, locale } = useTranslations()
  const { opening, closing, movements, currency } = data
  const openingHref = hrefOf(null, { from: null, to: addDays(data.from, -1) })
  const closingHref = hrefOf(null, { from: null, to: data.to })
  const holding = (amount: string, href: string) => (
    <Figure amount={amount} href={href}>
      {formatAmount(amount, locale)}
    </Figure>
  )
  const steps = [
    { name: t('statement.opening'), amount: opening.total, sign: '', href: openingHref },
    { name: t('statement.collected'), amount: movements.collected, sign: '+', href: hrefOf('collect') },
    { name: t('statement.funded'), amount: movements.funded, sign: '+', href: hrefOf('fund') },
    { name: t('statement.paid'), amount: movements.paid, sign: '−', href: hrefOf('pay') },
    { name: t('statement.fees'), amount: movements.fees, sign: '−', href: hrefOf('fees') },
    ...(movements.corrected === '0'
      ? []
      : [{ name: t('statement.corrected'), amount: movements.corrected, sign: '', href: hrefOf('correct') }]),
    ...(movements.withdrawn === '0'
      ? []
      : [{ name: t('statement.withdrawn'), amount: movements.withdrawn, sign: '−', href: hrefOf('withdraw') }]),
    ...(movements.adjusted === '0'
      ? []
      : [{ name: t('statement.adjusted'), amount: movements.adjusted, sign: '', href: hrefOf('adjust') }]),
  ]
  return (
    <div className="grid grid-cols-1 gap-3 lg:grid-cols-2">
      <section className="rounded-lg border border-line bg-surface p-4">
        <dl className="grid gap-1">
          {steps.map((step) => (
            <div key={step.name} className="flex items-baseline justify-between gap-4">
              <dt className="text-ink-2">{step.name}</dt>
              <dd className="tabular">
                {step.sign !== '' && step.amount !== '0' && <span className="text-quiet">{step.sign} </span>}
                <Figure amount={step.amount} href={step.href}>
                  <Money amount={step.amount} currency={currency} />
                </Figure>
              </dd>
            </div>
          ))}
          <div className="mt-1 flex items-baseline justify-between gap-4 border-t border-line pt-2">
            <dt className="font-strong">{t('statement.closing')}</dt>
            <dd>
              <Figure amount={closing.total} href={closingHref}>
                <Money amount={closing.total} currency={currency} size="balance" />
              </Figure>
            </dd>
          </div>
        </dl>
      </section>
      <ListTable
        label={t('statement.holdings')}
        rows={['collect', 'deposit', 'held', 'total'] as const}
        keyOf={(account) => account}
        rowClass={(account) => (account === 'total' ? 'font-strong' : '')}
        columns={[
          { head: t('statement.balanceIn', { currency }), cell: (account) => t(`statement.account.${account}`) },
          { head: t('statement.opening'), align: 'end', cell: (account) => holding(opening[account], openingHref) },
          { head: t('statement.closing'), align: 'end', cell: (account) => holding(closing[account], closingHref) },
        ]}
        below={
          <p className="border-t border-line px-3 py-2 text-second text-quiet">
            {t('statement.heldNote')}{' '}
            <Figure isInText amount={movements.placed} href={hrefOf('hold')}>
              <Money amount={movements.placed} currency={currency} />
            </Figure>{' '}
            · {t('statement.releasedNote')}{' '}
            <Figure isInText amount={movements.released} href={hrefOf('release')}>
              <Money amount={movements.released} currency={currency} />
            </Figure>
          </p>
        }
      />
    </div>
  )
}

type FigureProps = { amount: string; href: string; isInText?: boolean; children: ReactNode }

/** Zero has no lines to link to. A link within text is underlined like any other. */
function Figure({ amount, href, isInText = false, children }: FigureProps) {
  if (amount === '0') return <span className="inline-block py-0.5">{children}</span>
  return (
    <Link href={href} className={isInText ? 'inline-block py-0.5 underline' : FIGURE_LINK}>
      {children}
    </Link>
  )
}

/** The lines behind each figure of a day, in the order of the columns. */
const FILTERS = { collected: 'collect', funded: 'fund', paid: 'pay', fees: 'fees', placed: 'hold', released: 'release' } as const
const FIGURES = ['collected', 'funded', 'paid', 'fees', 'placed', 'released'] as const
const WIDE = 'max-sm:hidden print:table-cell'

type Props = { data: StatementDto; hrefOf: (kind: LineFilter | null, period: { from: string; to: string }) => string }

/** The statement by day, oldest first. Each closing balance is the next opening balance, and each figure links to its lines. */
export function StatementDays({ data, hrefOf }: Props) {
  const { t, locale } = useTranslations()
  const write = useDays()
  if (data.days.length === 0) return <EmptyState icon="wallet" title={t('statement.none')} />
  const link = (href: string, text: string) => (
    <Link href={href} className={FIGURE_LINK}>
      {text}
    </Link>
  )
  return (
    <ListTable
      label={t('statement.days')}
      className="mt-3"
      rows={data.days}
      keyOf={({ day }) => day}
      rowClass="whitespace-nowrap"
      columns={[
        {
          head: t(data.days[0]?.day.length === 10 ? 'totals.day' : 'statement.period'),
          cell: (day) => link(hrefOf(null, day), write.period(day.day)),
        },
        {
          head: t('statement.lines'),
          align: 'end',
          className: WIDE,
          cell: (day) => link(hrefOf(null, day), formatCount(day.count, locale)),
        },
        ...FIGURES.map(
          (figure): Column<StatementDay> => ({
            head: t(`statement.${figure}`),
            align: 'end',
            className: WIDE,
            cell: (day) =>
              day[figure] === '0' ? (
                <span className="text-quiet">0</span>
              ) : (
                link(hrefOf(FILTERS[figure], day), formatAmount(day[figure], locale))
              ),
          }),
        ),
        {
          head: t('statement.closingIn', { currency: data.currency }),
          align: 'end',
          cellClass: 'font-medium',
          cell: (day) => (
            <>
              {formatAmount(day.closing.total, locale)}
              <span className="block text-second font-regular text-quiet sm:hidden print:hidden">
                {`+${formatAmount(addDecimals(day.collected, day.funded), locale)} −${formatAmount(addDecimals(day.paid, day.fees), locale)}`}
              </span>
            </>
          ),
        },
      ]}
    />
  )
}
