import { Money } from '#components/domain/money.tsx'
import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { BarChart } from '#components/ui/chart/bar-chart.tsx'
import { Badge } from '#components/ui/display/badge.tsx'
import { SectionHead } from '#components/ui/display/page.tsx'
import { ListTable, Table, Td, Th, Tr } from '#components/ui/display/table.tsx'
import type { FloatForecastDto } from '#lib/finance/float-forecast.ts'
import { weekdays } from '#lib/finance/withdrawal-schedule.ts'
import type { Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { formatAmount } from '#lib/text/format.ts'
import { dayIn, formatTime } from '#lib/time/format-time.ts'

type Props = { t: Translate; locale: Locale; zone: string; forecasts: readonly FloatForecastDto[] }

/** How long the money for deposits lasts at each operator, and the top-up that covers two days; of each also a chart. */
export function FloatForecastSection({ t, locale, zone, forecasts }: Props) {
  if (forecasts.length === 0) return null
  const money =
    (of: 'balance' | 'held' | 'waiting' | 'usualDay' | 'topUp') =>
    ({ currency, ...forecast }: FloatForecastDto) => <Money amount={forecast[of]} currency={currency} />
  const figure = (of: 'held' | 'waiting' | 'usualDay') => ({
    head: t(`forecast.${of}`),
    align: 'end' as const,
    isLabelled: true,
    cell: money(of),
  })
  return (
    <div className="mt-8">
      <SectionHead id="forecast" title={t('forecast.title')} text={t('forecast.lead')} />
      <ListTable
        label={t('forecast.title')}
        className="mt-3"
        isList
        rows={forecasts}
        keyOf={({ operator }) => operator}
        columns={[
          { head: t('forecast.operator'), cellClass: 'whitespace-nowrap', cell: ({ operator }) => <OperatorMark code={operator} /> },
          {
            head: t('forecast.balance'),
            align: 'end',
            isLabelled: true,
            cell: (forecast) => (
              <>
                {money('balance')(forecast)}
                <span className="block text-second text-quiet">{t(forecast.isReported ? 'forecast.reported' : 'forecast.booked')}</span>
              </>
            ),
          },
          figure('held'),
          figure('waiting'),
          figure('usualDay'),
          {
            head: t('forecast.lasts'),
            isLabelled: true,
            cell: ({ lastsUntil, topUp }) =>
              topUp === '0' ? lastsText(t, zone, lastsUntil) : <Badge tone="wait">{lastsText(t, zone, lastsUntil)}</Badge>,
          },
          {
            head: t('forecast.topUp'),
            align: 'end',
            isLabelled: true,
            cell: (forecast) => <span className={forecast.topUp === '0' ? 'text-quiet' : 'font-strong'}>{money('topUp')(forecast)}</span>,
          },
        ]}
      />
      <div className="mt-3 divide-y divide-line rounded-lg border border-line bg-surface">
        {forecasts.map((forecast) => (
          <ForecastChart key={forecast.operator} {...{ t, locale, zone, forecast }} />
        ))}
      </div>
    </div>
  )
}

/** `Thursday 26 Nov, 15:00`. */
function lastsText(t: Translate, zone: string, lastsUntil: string | null): string {
  if (lastsUntil === null) return t('forecast.long')
  const at = new Date(lastsUntil)
  const weekday = weekdays(t)[(new Date(`${dayIn(zone, at)}T00:00:00Z`).getUTCDay() + 6) % 7] ?? ''
  return `${weekday} ${formatTime(t, zone, at, 'day-time')}`
}

function ForecastChart({
  t,
  locale,
  zone,
  forecast: { operator, currency, steps },
}: Omit<Props, 'forecasts'> & { forecast: FloatForecastDto }) {
  const { brand, country } = OPERATORS[operator]
  const title = t('forecast.chart', { operator: `${brand} ${t(`country.${country.name}`)}`, currency })
  const labels = steps.map(({ at }) => formatTime(t, zone, new Date(at), 'day-time'))
  return (
    <details className="px-4 py-2">
      <summary className="cursor-pointer font-medium">{title}</summary>
      <div className="my-3">
        <BarChart
          locale={locale}
          title={t('forecast.twoDays')}
          labels={labels}
          series={[
            { name: t('forecast.balanceAfter'), tone: 'accent', values: steps.map(({ balance }) => Number(balance)) },
            { name: t('forecast.usualOut'), tone: 'run', values: steps.map(({ usualOut }) => Number(usualOut)) },
          ]}
          tableLabel={t('totals.asTable')}
          table={
            <Table
              caption={title}
              head={
                <>
                  <Th>{t('forecast.from')}</Th>
                  <Th align="end">{t('forecast.usualOut')}</Th>
                  <Th align="end">{t('forecast.balanceAfter')}</Th>
                </>
              }
            >
              {steps.map(({ at, usualOut, balance }, place) => (
                <Tr key={at}>
                  <Td className="whitespace-nowrap">{labels[place]}</Td>
                  <Td align="end">{formatAmount(usualOut, locale)}</Td>
                  <Td align="end">{formatAmount(balance, locale)}</Td>
                </Tr>
              ))}
            </Table>
          }
        />
      </div>
    </details>
  )
}
