import { StackedChart } from '#components/ui/chart/stacked-chart.tsx'
import { Card } from '#components/ui/display/card.tsx'
import { Tabs } from '#components/ui/display/page.tsx'
import { ListTable } from '#components/ui/display/table.tsx'
import { durationText } from '#lib/operators/duration-text.ts'
import { type DirectionHistory, HISTORY_PERIODS, type HistoryPeriod, type HistorySlot } from '#lib/operators/operator-outcomes.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import { paths } from '#lib/pages/paths.ts'
import { FAILURE_REASONS } from '#lib/payments/transactions/transaction-status.ts'
import { formatCount } from '#lib/text/format.ts'
import { formatTime } from '#lib/time/format-time.ts'
import type { OperatorWords } from '../../_components/operator-words.ts'

type Props = {
  words: OperatorWords
  application: string
  operator: OperatorCode
  period: HistoryPeriod
  history: readonly DirectionHistory[]
}

/** Results of the submissions of each hour or day, one chart per direction. */
export function HistoryPart({ words, application, operator, period, history }: Props) {
  const { t } = words
  return (
    <section aria-labelledby="history" className="mt-6">
      <h2 id="history">{t('operators.history')}</h2>
      <p className="mt-1 text-second text-quiet">{t('operators.historyNote')}</p>
      <div className="mt-2">
        <Tabs
          label={t('operators.period')}
          tabs={HISTORY_PERIODS.map((each) => ({
            href: paths.operator(application, operator, { period: each === 'hours' ? null : each }),
            label: t(`operators.period.${each}`),
            isCurrent: each === period,
          }))}
        />
      </div>
      <div className="mt-3 grid grid-cols-1 gap-3 xl:grid-cols-2">
        {history.map((direction) => (
          <Card key={direction.type}>
            <Chart words={words} direction={direction} slots={direction[period]} period={period} />
          </Card>
        ))}
      </div>
    </section>
  )
}

type ChartProps = { words: OperatorWords; direction: DirectionHistory; slots: readonly HistorySlot[]; period: HistoryPeriod }

function Chart({ words, direction, slots, period }: ChartProps) {
  const { t, locale } = words
  const title = t(`operators.chart.${period}`, { type: t(`type.${direction.type}`) })
  const nameOf = (slot: string) => slotText(words, slot, period)
  if (slots.every(isEmpty)) return <Empty title={title} text={t(`operators.noSubmissions.${period}`)} />
  return (
    <StackedChart
      locale={locale}
      title={title}
      labels={slots.map(({ slot }) => nameOf(slot))}
      hints={slots.map((slot) => `${nameOf(slot.slot)} · ${hintOf(words, slot)}`)}
      series={[
        { name: t('operators.succeeded'), tone: 'ok', values: slots.map(({ counts }) => counts.succeeded) },
        { name: t('operators.failed'), tone: 'bad', values: slots.map((slot) => failedIn(slot)) },
        { name: t('operators.open'), tone: 'wait', values: slots.map(({ counts }) => counts.open) },
      ]}
      band={{
        name: t('operators.band'),
        tones: slots.map(({ closedMinutes, delayedMinutes }) => (closedMinutes > 0 ? 'bad' : delayedMinutes > 0 ? 'wait' : null)),
      }}
      tableLabel={t('operators.asTable')}
      table={<HistoryTable words={words} title={title} slots={slots} nameOf={nameOf} />}
    />
  )
}

/** Whether nothing was submitted in a slot, and the operator was operational all the time. */
function isEmpty(slot: HistorySlot): boolean {
  const { counts, closedMinutes, delayedMinutes } = slot
  return counts.succeeded + failedIn(slot) + counts.open + closedMinutes + delayedMinutes === 0
}

function Empty({ title, text }: { title: string; text: string }) {
  return (
    <>
      <h3 className="font-strong">{title}</h3>
      <p className="mt-2 text-ink-2">{text}</p>
    </>
  )
}

function failedIn({ counts }: HistorySlot): number {
  return FAILURE_REASONS.reduce((sum, reason) => sum + counts[reason], 0)
}

function hintOf({ t, locale }: OperatorWords, slot: HistorySlot): string {
  const parts = [
    `${t('operators.succeeded')} ${slot.counts.succeeded}`,
    `${t('operators.failed')} ${failedIn(slot)}`,
    `${t('operators.open')} ${slot.counts.open}`,
  ]
  if (slot.medianMs !== null) parts.push(`${t('operators.median')} ${durationText(t, locale, slot.medianMs)}`)
  return parts.join(' · ')
}

/** A day of the application, or an hour on the person's clock. */
function slotText({ t, timeZone }: OperatorWords, slot: string, period: HistoryPeriod): string {
  return period === 'days' ? formatTime(t, 'UTC', new Date(`${slot}T00:00:00Z`), 'day') : formatTime(t, timeZone, new Date(slot), 'time')
}

type HistoryTableProps = { words: OperatorWords; title: string; slots: readonly HistorySlot[]; nameOf: (slot: string) => string }

/** The figures of a chart, newest first, without the hours or days in which nothing happened. */
function HistoryTable({ words: { t, locale }, title, slots, nameOf }: HistoryTableProps) {
  const shown = slots.filter(({ counts, closedMinutes, delayedMinutes }) =>
    [closedMinutes, delayedMinutes, ...Object.values(counts)].some((figure) => figure > 0),
  )
  const time = (ms: number | null) => (ms === null ? '–' : durationText(t, locale, ms))
  if (shown.length === 0) return <p className="text-quiet">{t('operators.nothing')}</p>
  const minutes = (count: number) => t('operators.minutes', { count })
  const column = (head: string, cell: (slot: HistorySlot) => string) => ({ head, align: 'end', isLabelled: true, cell }) as const
  return (
    <ListTable
      isBare
      isList
      label={title}
      rows={shown.toReversed()}
      keyOf={({ slot }) => slot}
      rowClass="whitespace-nowrap"
      columns={[
        { head: t('operators.slot'), cell: ({ slot }) => nameOf(slot) },
        column(t('operators.succeeded'), ({ counts }) => formatCount(counts.succeeded, locale)),
        ...FAILURE_REASONS.map((reason) => column(t(`operators.cause.${reason}`), ({ counts }) => formatCount(counts[reason], locale))),
        column(t('operators.open'), ({ counts }) => formatCount(counts.open, locale)),
        column(t('operators.median'), ({ medianMs }) => time(medianMs)),
        column(t('operators.p95'), ({ slowMs }) => time(slowMs)),
        column(t('availability.DELAYED'), ({ delayedMinutes }) => minutes(delayedMinutes)),
        column(t('availability.CLOSED'), ({ closedMinutes }) => minutes(closedMinutes)),
      ]}
    />
  )
}
