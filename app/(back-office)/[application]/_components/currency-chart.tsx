'use client'

import { useState } from 'react'
import { Money } from '#components/domain/money.tsx'
import { BarChart } from '#components/ui/bar-chart.tsx'
import { Card } from '#components/ui/card.tsx'
import { Link } from '#components/ui/link.tsx'
import { Table, Td, Th, Tr } from '#components/ui/table.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import type { PeriodStep } from '#lib/chart-periods.ts'
import type { PeriodPart } from '#lib/finance-address.ts'
import type { CurrencyChart as Chart, PeriodTotal } from '#lib/finance-dto.ts'
import { formatAmount, formatCount } from '#lib/format.ts'
import type { Currency } from '#lib/money.ts'
import { useDays } from './use-days.ts'

type Props = {
  charts: readonly Chart[]
  step: PeriodStep
  ariaLabel: string
  /** The list behind a part of a period. */
  hrefOf: (part: PeriodPart) => string
}

/** Success and failure by day, month or year in one currency, also as a table. Each figure links to its list. */
export function CurrencyChart({ charts, step, ariaLabel, hrefOf }: Props) {
  const { t, locale } = useTranslations()
  const days = useDays()
  const [wanted, setWanted] = useState<Currency | null>(null)
  const chart = charts.find((each) => each.currency === wanted) ?? charts[0]
  if (!chart) return null
  const { currency, periods } = chart
  const hintOf = ({ period, success, failed }: PeriodTotal) =>
    `${days.period(period)}: ${t('status.SUCCESS')} ${formatAmount(success, locale)} ${currency}, ${t('status.FAILED')} ${formatAmount(failed, locale)} ${currency}`
  const title = t(`totals.by.${step}`, { currency })
  return (
    <Card>
      {charts.length > 1 && (
        <fieldset className="no-print mb-3 flex gap-1">
          <legend className="sr-only">{ariaLabel}</legend>
          {charts.map((each) => (
            <button
              key={each.currency}
              type="button"
              aria-pressed={each === chart}
              onClick={() => setWanted(each.currency)}
              className="h-[26px] rounded-sm border border-line-2 px-2.5 text-second text-ink-2 hover:bg-sunken touch-target aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:font-strong aria-pressed:text-ink"
            >
              {each.currency}
            </button>
          ))}
        </fieldset>
      )}
      <BarChart
        title={title}
        labels={periods.map((each) => days.period(each.period))}
        series={[
          { name: t('status.SUCCESS'), tone: 'accent', values: periods.map((each) => Number(each.success)) },
          { name: t('status.FAILED'), tone: 'bad', values: periods.map((each) => Number(each.failed)) },
        ]}
        links={periods.map((each) => ({
          href: hrefOf({ period: each.period, currency, status: ['SUCCESS', 'FAILED'] }),
          hint: hintOf(each),
        }))}
        tableLabel={t('totals.asTable')}
        table={
          <Table
            caption={title}
            head={
              <>
                <Th>{t(`totals.${step}`)}</Th>
                <Th align="end">{t('status.SUCCESS')}</Th>
                <Th align="end" className="max-sm:hidden">
                  {t('totals.transactions')}
                </Th>
                <Th align="end">{t('status.FAILED')}</Th>
                <Th align="end" className="max-sm:hidden">
                  {t('totals.transactions')}
                </Th>
              </>
            }
          >
            {periods.map((each) => (
              <Tr key={each.period}>
                <Td className="whitespace-nowrap">{days.period(each.period)}</Td>
                <Part
                  href={hrefOf({ period: each.period, currency, status: 'SUCCESS' })}
                  of={`${days.period(each.period)}, ${t('status.SUCCESS')}`}
                  amount={each.success}
                  count={each.successCount}
                  currency={currency}
                />
                <Part
                  href={hrefOf({ period: each.period, currency, status: 'FAILED' })}
                  of={`${days.period(each.period)}, ${t('status.FAILED')}`}
                  amount={each.failed}
                  count={each.failedCount}
                  currency={currency}
                />
              </Tr>
            ))}
          </Table>
        }
      />
    </Card>
  )
}

/** Amount and count of one status of a period: two cells, each a link to the list that both describe. */
function Part({ href, of, amount, count, currency }: { href: string; of: string; amount: string; count: number; currency: Currency }) {
  const { locale } = useTranslations()
  const shown = [<Money key="amount" amount={amount} currency={currency} />, formatCount(count, locale)]
  return shown.map((figure, place) => (
    <Td key={place === 0 ? 'amount' : 'count'} align="end" className={place === 0 ? '' : 'max-sm:hidden'}>
      {count === 0 ? (
        <span className="text-quiet">{figure}</span>
      ) : (
        <Link href={href} className="inline-block py-0.5 hover:underline">
          {figure}
          <span className="sr-only">, {of}</span>
        </Link>
      )}
    </Td>
  ))
}
