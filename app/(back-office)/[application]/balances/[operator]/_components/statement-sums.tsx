import type { ReactNode } from 'react'
import { Money } from '#components/domain/money.tsx'
import { EmptyState } from '#components/ui/display/empty-state.tsx'
import { Table, TableCard, Td, Th, Tr } from '#components/ui/display/table.tsx'
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
  const steps = [
    { name: t('statement.opening'), amount: opening.total, sign: '', href: openingHref },
    { name: t('statement.collected'), amount: movements.collected, sign: '+', href: hrefOf('collect') },
    { name: t('statement.funded'), amount: movements.funded, sign: '+', href: hrefOf('fund') },
    { name: t('statement.paid'), amount: movements.paid, sign: '−', href: hrefOf('pay') },
    { name: t('statement.fees'), amount: movements.fees, sign: '−', href: hrefOf('fees') },
    ...(movements.corrected === '0'
      ? []
      : [{ name: t('statement.corrected'), amount: movements.corrected, sign: '', href: hrefOf('correct') }]),
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
      <TableCard label={t('statement.holdings')}>
        <Table
          caption={t('statement.holdings')}
          head={
            <>
              <Th>{t('statement.balanceIn', { currency })}</Th>
              <Th align="end">{t('statement.opening')}</Th>
              <Th align="end">{t('statement.closing')}</Th>
            </>
          }
        >
          {(['collect', 'deposit', 'held', 'total'] as const).map((account) => (
            <Tr key={account} className={account === 'total' ? 'font-strong' : ''}>
              <Td>{t(`statement.account.${account}`)}</Td>
              <Td align="end">
                <Figure amount={opening[account]} href={openingHref}>
                  {formatAmount(opening[account], locale)}
                </Figure>
              </Td>
              <Td align="end">
                <Figure amount={closing[account]} href={closingHref}>
                  {formatAmount(closing[account], locale)}
                </Figure>
              </Td>
            </Tr>
          ))}
        </Table>
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
      </TableCard>
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

/** The lines behind each figure of a day. */
const FILTERS = { collected: 'collect', funded: 'fund', paid: 'pay', fees: 'fees', placed: 'hold', released: 'release' } as const
const WIDE = 'max-sm:hidden print:table-cell'

type Props = { data: StatementDto; hrefOf: (kind: LineFilter | null, period: { from: string; to: string }) => string }

/** The statement by day, oldest first. Each closing balance is the next opening balance, and each figure links to its lines. */
export function StatementDays({ data, hrefOf }: Props) {
  const { t, locale } = useTranslations()
  const write = useDays()
  if (data.days.length === 0) return <EmptyState icon="wallet" title={t('statement.none')} />
  const amount = (day: StatementDay, figure: 'collected' | 'funded' | 'paid' | 'fees' | 'placed' | 'released') =>
    day[figure] === '0' ? (
      <span className="text-quiet">0</span>
    ) : (
      <Link href={hrefOf(FILTERS[figure], day)} className={FIGURE_LINK}>
        {formatAmount(day[figure], locale)}
      </Link>
    )
  return (
    <TableCard label={t('statement.days')} className="mt-3">
      <Table
        caption={t('statement.days')}
        head={
          <>
            <Th>{t(data.days[0]?.day.length === 10 ? 'totals.day' : 'statement.period')}</Th>
            <Th align="end" className={WIDE}>
              {t('statement.lines')}
            </Th>
            <Th align="end" className={WIDE}>
              {t('statement.collected')}
            </Th>
            <Th align="end" className={WIDE}>
              {t('statement.funded')}
            </Th>
            <Th align="end" className={WIDE}>
              {t('statement.paid')}
            </Th>
            <Th align="end" className={WIDE}>
              {t('statement.fees')}
            </Th>
            <Th align="end" className={WIDE}>
              {t('statement.placed')}
            </Th>
            <Th align="end" className={WIDE}>
              {t('statement.released')}
            </Th>
            <Th align="end">{t('statement.closingIn', { currency: data.currency })}</Th>
          </>
        }
      >
        {data.days.map((day) => (
          <Tr key={day.day} className="whitespace-nowrap">
            <Td>
              <Link href={hrefOf(null, day)} className={FIGURE_LINK}>
                {write.period(day.day)}
              </Link>
            </Td>
            <Td align="end" className={WIDE}>
              <Link href={hrefOf(null, day)} className={FIGURE_LINK}>
                {formatCount(day.count, locale)}
              </Link>
            </Td>
            <Td align="end" className={WIDE}>
              {amount(day, 'collected')}
            </Td>
            <Td align="end" className={WIDE}>
              {amount(day, 'funded')}
            </Td>
            <Td align="end" className={WIDE}>
              {amount(day, 'paid')}
            </Td>
            <Td align="end" className={WIDE}>
              {amount(day, 'fees')}
            </Td>
            <Td align="end" className={WIDE}>
              {amount(day, 'placed')}
            </Td>
            <Td align="end" className={WIDE}>
              {amount(day, 'released')}
            </Td>
            <Td align="end" className="font-medium">
              {formatAmount(day.closing.total, locale)}
              <span className="block text-second font-regular text-quiet sm:hidden print:hidden">
                {`+${formatAmount(addDecimals(day.collected, day.funded), locale)} −${formatAmount(addDecimals(day.paid, day.fees), locale)}`}
              </span>
            </Td>
          </Tr>
        ))}
      </Table>
    </TableCard>
  )
}
