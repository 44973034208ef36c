import type { ComponentProps } from 'react'
import { axisValues } from '#lib/finance/chart.ts'
import { BAR_MIN, ChartFrame, PointerArea, percent } from './chart-parts.tsx'

type Tone = 'ok' | 'bad' | 'wait'
/** One part of each bar, the lowest first. */
type StackSeries = { name: string; tone: Tone; values: readonly number[] }

type StackedChartProps = Pick<ComponentProps<typeof ChartFrame>, 'locale' | 'title' | 'labels' | 'tableLabel' | 'table'> & {
  /** The tooltip of each bar. */
  hints: readonly string[]
  series: readonly StackSeries[]
  /** A band below the bars: for which of them something else was true. */
  band: { name: string; tones: readonly (Tone | null)[] }
}

const FILLS: Record<Tone, string> = { ok: 'fill-ok/75', bad: 'fill-bad/80', wait: 'fill-wait/80' }
const MARKS: Record<Tone, string> = { ok: 'bg-ok/75', bad: 'bg-bad/80', wait: 'bg-wait/80' }

/** Bars of several parts on one scale, with a band below them. */
export function StackedChart({ hints, series, band, ...frame }: StackedChartProps) {
  const { labels } = frame
  const sums = labels.map((_, index) => series.reduce((sum, each) => sum + (each.values[index] ?? 0), 0))
  const axis = axisValues(Math.max(0, ...sums)).filter(Number.isInteger)
  const top = axis.at(-1) ?? 1
  const step = 100 / Math.max(1, labels.length)
  return (
    <ChartFrame
      {...frame}
      axis={axis}
      legend={series.map(({ name, tone }) => ({ name, mark: MARKS[tone] }))}
      band={<Band tones={band.tones} step={step} />}
      note={band.name}
    >
      {labels.map((label, index) => (
        <g key={label}>
          <title>{hints[index]}</title>
          <PointerArea left={index * step} step={step} className="hover:fill-ink/5" />
          <Bar left={index * step} step={step} series={series} index={index} top={top} />
        </g>
      ))}
    </ChartFrame>
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
