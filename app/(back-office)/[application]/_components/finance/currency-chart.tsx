import { useState } from 'react'
import { BarChart } from '#components/ui/chart/bar-chart.tsx'
import { Card } from '#components/ui/display/card.tsx'
import { Table, Td, Th, Tr } from '#components/ui/display/table.tsx'
import { Link } from '#components/ui/link.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import type { PeriodStep } from '#lib/finance/chart.ts'
import type { PeriodPart, TotalsQuery } from '#lib/finance/finance-address.ts'
import type { CurrencyChart as Chart, PeriodTotal } from '#lib/finance/finance-dto.ts'
import type { Currency } from '#lib/money/money.ts'
import { formatAmount, formatCount } from '#lib/text/format.ts'
import { FIGURE_LINK, useDays, useDirections } from './finance-figures.ts'

type Props = {
  charts: readonly Chart[]
  step: PeriodStep
  filter: Pick<TotalsQuery, 'status' | 'type'>
  /** The list behind a part of a period. */
  hrefOf: (part: PeriodPart) => string
}

const amountOf = (period: PeriodTotal, type: 'COLLECT' | 'DEPOSIT') => (type === 'COLLECT' ? period.collects : period.deposits)
const countOf = (period: PeriodTotal, type: 'COLLECT' | 'DEPOSIT') => (type === 'COLLECT' ? period.collectCount : period.depositCount)

/** Money by direction per day, month or year in one currency, also as a table. Each figure links to its list. */
export function CurrencyChart({ charts, step, filter, hrefOf }: Props) {
  const { t, locale } = useTranslations()
  const days = useDays()
  const directions = useDirections(filter)
  const [wanted, setWanted] = useState<Currency | null>(null)
  const chart = charts.find((each) => each.currency === wanted) ?? charts[0]
  if (!chart) return null
  const { currency, periods } = chart
  const hintOf = (period: PeriodTotal) =>
    `${days.period(period.period)}: ${directions.map(({ type, name }) => `${name} ${formatAmount(amountOf(period, type), locale)} ${currency}`).join(', ')}`
  const title = t(`totals.by.${step}`, { currency })
  return (
    <Card>
      <BarChart
        locale={locale}
        title={charts.length > 1 ? t(`totals.per.${step}`) : title}
        aside={charts.length > 1 && <CurrencyChoice charts={charts} current={currency} onChoose={setWanted} />}
        labels={periods.map((each) => days.period(each.period))}
        series={directions.map(({ type, name }) => ({
          name,
          tone: type === 'COLLECT' ? 'accent' : 'run',
          values: periods.map((each) => Number(amountOf(each, type))),
        }))}
        links={periods.map((each) => ({ href: hrefOf({ period: each.period, currency }), hint: hintOf(each) }))}
        tableLabel={t('totals.asTable')}
        table={
          <Table
            caption={title}
            head={
              <>
                <Th>{t(`totals.${step}`)}</Th>
                {directions.map(({ type, name }) => [
                  <Th key={`${type} amount`} align="end">
                    {name}
                  </Th>,
                  <Th key={`${type} count`} align="end" className="max-sm:hidden">
                    {t('totals.transactions')}
                  </Th>,
                ])}
              </>
            }
          >
            {periods.map((each) => (
              <Tr key={each.period}>
                <Td className="whitespace-nowrap">{days.period(each.period)}</Td>
                {directions.map(({ type, name }) => (
                  <Part
                    key={type}
                    href={hrefOf({ period: each.period, currency, type })}
                    of={`${days.period(each.period)}, ${name}`}
                    amount={formatAmount(amountOf(each, type), locale)}
                    count={countOf(each, type)}
                  />
                ))}
              </Tr>
            ))}
          </Table>
        }
      />
    </Card>
  )
}

type ChoiceProps = { charts: readonly Chart[]; current: Currency; onChoose: (currency: Currency) => void }

function CurrencyChoice({ charts, current, onChoose }: ChoiceProps) {
  const { t } = useTranslations()
  return (
    <fieldset className="no-print flex gap-1">
      <legend className="sr-only">{t('totals.currency')}</legend>
      {charts.map(({ currency }) => (
        <button
          key={currency}
          type="button"
          aria-pressed={currency === current}
          onClick={() => onChoose(currency)}
          className="h-[26px] rounded-sm border border-line-2 px-2.5 text-second text-ink-2 hover:bg-sunken touch-target aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:font-strong aria-pressed:text-ink"
        >
          {currency}
        </button>
      ))}
    </fieldset>
  )
}

/** Amount and count of one direction of a period: two cells, each a link to the list that both describe. */
function Part({ href, of, amount, count }: { href: string; of: string; amount: string; count: number }) {
  const { locale } = useTranslations()
  return [amount, formatCount(count, locale)].map((figure, place) => (
    <Td key={place === 0 ? 'amount' : 'count'} align="end" className={place === 0 ? '' : 'max-sm:hidden'}>
      {count === 0 ? (
        <span className="text-quiet">{figure}</span>
      ) : (
        <Link href={href} className={FIGURE_LINK}>
          {figure}
          <span className="sr-only">, {of}</span>
        </Link>
      )}
    </Td>
  ))
}
