'use client'

import { useState } from 'react'
import { Money } from '#components/domain/money.tsx'
import { BarChart } from '#components/ui/bar-chart.tsx'
import { Card } from '#components/ui/card.tsx'
import { Table, Td, Th, Tr } from '#components/ui/table.tsx'
import { useWords } from '#components/ui/words.tsx'
import type { CurrencyChart as Chart } from '#lib/finance-dto.ts'
import { formatCount } from '#lib/format.ts'
import type { Currency } from '#lib/money.ts'
import { useDays } from './use-days.ts'

/** What succeeded and failed by day or month, one currency at a time; the same figures as an exact table. */
export function CurrencyChart({ charts, step, ariaLabel }: { charts: readonly Chart[]; step: 'day' | 'month'; ariaLabel: string }) {
  const { t, locale } = useWords()
  const days = useDays()
  const [wanted, setWanted] = useState<Currency | null>(null)
  const chart = charts.find((each) => each.currency === wanted) ?? charts[0]
  if (!chart) return null
  const { currency, periods } = chart
  const title = t(step === 'day' ? 'totals.byDay' : 'totals.byMonth', { currency })
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
        tableLabel={t('totals.asTable')}
        table={
          <Table
            caption={title}
            head={
              <>
                <Th>{t(step === 'day' ? 'totals.day' : 'totals.month')}</Th>
                <Th align="end">{t('status.SUCCESS')}</Th>
                <Th align="end">{t('totals.transactions')}</Th>
                <Th align="end">{t('status.FAILED')}</Th>
                <Th align="end">{t('totals.transactions')}</Th>
              </>
            }
          >
            {periods.map((each) => (
              <Tr key={each.period}>
                <Td>{days.period(each.period)}</Td>
                <Td align="end">
                  <Money amount={each.success} currency={currency} />
                </Td>
                <Td align="end">{formatCount(each.successCount, locale)}</Td>
                <Td align="end">
                  <Money amount={each.failed} currency={currency} />
                </Td>
                <Td align="end">{formatCount(each.failedCount, locale)}</Td>
              </Tr>
            ))}
          </Table>
        }
      />
    </Card>
  )
}
