import type { ReactNode } from 'react'
import { axisValues, formatAxisValue } from '#lib/finance/chart.ts'
import type { Locale } from '#lib/i18n/locale.ts'
import { Axis, BAR_MIN, GridLines, Labels, Legend, percent, TableSwitch } from './chart-parts.tsx'

type Tone = 'ok' | 'bad' | 'wait'
/** One part of each bar, the lowest first. */
type StackSeries = { name: string; tone: Tone; values: readonly number[] }

type StackedChartProps = {
  locale: Locale
  title: string
  labels: readonly string[]
  /** The tooltip of each bar. */
  hints: readonly string[]
  series: readonly StackSeries[]
  /** A band below the bars: for which of them something else was true. */
  band: { name: string; tones: readonly (Tone | null)[] }
  /** The label of the switch to the table. */
  tableLabel: string
  /** The same figures as a table, for screen readers and print. */
  table: ReactNode
}

const FILLS: Record<Tone, string> = { ok: 'fill-ok/75', bad: 'fill-bad/80', wait: 'fill-wait/80' }
const MARKS: Record<Tone, string> = { ok: 'bg-ok/75', bad: 'bg-bad/80', wait: 'bg-wait/80' }

/** Bars of several parts on one scale, as plain SVG, with a band below them and the figures as a table behind a switch that needs no script. */
export function StackedChart({ locale, title, labels, hints, series, band, tableLabel, table }: StackedChartProps) {
  const sums = labels.map((_, index) => series.reduce((sum, each) => sum + (each.values[index] ?? 0), 0))
  const axis = axisValues(Math.max(0, ...sums)).filter(Number.isInteger)
  const top = axis.at(-1) ?? 1
  const step = 100 / Math.max(1, labels.length)
  return (
    <figure className="min-w-0">
      <figcaption className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <span className="font-strong">{title}</span>
        <Legend entries={series.map(({ name, tone }) => ({ name, mark: MARKS[tone] }))} />
      </figcaption>
      <div className="mt-4 flex gap-2">
        <Axis values={axis.map((value) => formatAxisValue(value, locale))} />
        <div className="min-w-0 flex-1">
          <svg aria-hidden="true" className="h-44 w-full overflow-visible">
            <GridLines axis={axis} />
            {labels.map((label, index) => (
              <g key={label}>
                <title>{hints[index]}</title>
                <rect
                  x={percent(index * step)}
                  y="0"
                  width={percent(step)}
                  height="100%"
                  fill="none"
                  pointerEvents="all"
                  className="hover:fill-ink/5"
                />
                <Bar left={index * step} step={step} series={series} index={index} top={top} />
              </g>
            ))}
          </svg>
          <Band tones={band.tones} step={step} />
          <Labels labels={labels} />
        </div>
      </div>
      <p className="text-second text-quiet">{band.name}</p>
      <TableSwitch label={tableLabel}>{table}</TableSwitch>
    </figure>
  )
}

type BarProps = { left: number; step: number; series: readonly StackSeries[]; index: number; top: number }

function Bar({ left, step, series, index, top }: BarProps) {
  let below = 0
  return series.map((each) => {
    const value = each.values[index] ?? 0
    if (value <= 0) return null
    const height = Math.max(BAR_MIN, (value / top) * 100)
    below += height
    return (
      <rect
        key={each.name}
        x={percent(left + step * 0.13)}
        y={percent(100 - below)}
        width={percent(step * 0.74)}
        height={percent(height)}
        pointerEvents="none"
        className={FILLS[each.tone]}
      />
    )
  })
}

function Band({ tones, step }: { tones: readonly (Tone | null)[]; step: number }) {
  return (
    <svg aria-hidden="true" className="mt-1 h-1.5 w-full">
      <rect width="100%" height="100%" rx="2" className="fill-sunken" />
      {tones.map((tone, index) =>
        tone === null ? null : (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: the place in the chart is what it is
            key={index}
            x={percent(index * step)}
            width={percent(step)}
            height="100%"
            className={FILLS[tone]}
          />
        ),
      )}
    </svg>
  )
}
