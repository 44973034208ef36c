import type { ReactNode } from 'react'
import { axisValues, formatAxisValue } from '#lib/chart-scale.ts'
import type { Locale } from '#lib/i18n/locale.ts'
import { Axis, BAR_MIN, Labels, percent } from './chart-parts.tsx'

type Tone = 'ok' | 'bad' | 'wait'
/** One part of each bar, the lowest first. */
type StackSeries = { name: string; tone: Tone; values: readonly number[] }

type StackedChartProps = {
  locale: Locale
  title: string
  labels: readonly string[]
  /** What the pointer reads over each bar. */
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
        <span className="flex flex-wrap gap-x-4 gap-y-1 text-second text-quiet">
          {series.map((each) => (
            <span key={each.name} className="inline-flex items-center gap-1.5">
              <span aria-hidden="true" className={`size-[7px] rounded-[2px] ${MARKS[each.tone]}`} />
              {each.name}
            </span>
          ))}
        </span>
      </figcaption>
      <div className="mt-4 flex gap-2">
        <Axis values={axis.map((value) => formatAxisValue(value, locale))} />
        <div className="min-w-0 flex-1">
          <svg aria-hidden="true" className="h-44 w-full overflow-visible">
            {[0, ...axis].map((value) => (
              <rect key={value} x="0" y={percent(100 - (value / top) * 100)} width="100%" height="1" className="fill-line" />
            ))}
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
      <details className="mt-2 print:hidden">
        <summary className="inline-flex text-second text-accent hover:underline">{tableLabel}</summary>
        <div className="mt-2">{table}</div>
      </details>
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
