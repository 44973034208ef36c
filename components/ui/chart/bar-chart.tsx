import type { ReactNode } from 'react'
import { axisValues, formatAxisValue } from '#lib/finance/chart.ts'
import { Link } from '../link.tsx'
import { useTranslations } from '../translations.tsx'
import { Axis, BAR_MIN, GridLines, Labels, Legend, percent, TableSwitch } from './chart-parts.tsx'

/** One series: its name, its colour, and one number per label for drawing only. */
type BarSeries = { name: string; tone: 'accent' | 'run'; values: readonly number[] }

type BarChartProps = {
  /** The accessible name of the chart. */
  title: string
  /** Beside the title, for example a choice. */
  aside?: ReactNode
  /** One label per group of bars; if there are many, some of them are written. */
  labels: readonly string[]
  series: readonly BarSeries[]
  /** The link and the tooltip of each group, for the pointer only: the keyboard uses the links of the table. */
  links: readonly { href: string; hint: string }[]
  /** The label of the switch to the table. */
  tableLabel: string
  /** The same figures as a table, for screen readers and print. */
  table: ReactNode
}

const FILLS: Record<BarSeries['tone'], string> = { accent: 'fill-accent', run: 'fill-run/70' }
const MARKS: Record<BarSeries['tone'], string> = { accent: 'bg-accent', run: 'bg-run/70' }
/** A group is at most this wide, in percent of the chart. */
const GROUP_MAX = 9

/** Bars side by side on one scale, as plain SVG, with the figures as a table behind a switch that needs no script. */
export function BarChart({ title, aside, labels, series, links, tableLabel, table }: BarChartProps) {
  const { locale } = useTranslations()
  const axis = axisValues(Math.max(0, ...series.flatMap((each) => each.values)))
  const top = axis.at(-1) ?? 1
  const step = 100 / Math.max(1, labels.length)
  return (
    <figure>
      <figcaption className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span className="font-strong">{title}</span>
          {aside}
        </span>
        <Legend entries={series.map(({ name, tone }) => ({ name, mark: MARKS[tone] }))} />
      </figcaption>
      <div className="mt-4 flex gap-2">
        <Axis values={axis.map((value) => formatAxisValue(value, locale))} />
        <div className="min-w-0 flex-1">
          <svg aria-hidden="true" className="h-44 w-full overflow-visible">
            <GridLines axis={axis} />
            {labels.map((label, index) => {
              const link = links[index]
              if (!link || series.every((each) => !each.values[index])) return null
              return (
                <Link key={label} href={link.href} tabIndex={-1} className="group">
                  <title>{link.hint}</title>
                  <rect
                    x={percent(index * step)}
                    y="0"
                    width={percent(step)}
                    height="100%"
                    fill="none"
                    pointerEvents="all"
                    className="group-hover:fill-ink/5"
                  />
                  <Group left={index * step} step={step} series={series} index={index} top={top} />
                </Link>
              )
            })}
          </svg>
          <Labels labels={labels} />
        </div>
      </div>
      <TableSwitch label={tableLabel}>{table}</TableSwitch>
    </figure>
  )
}

type GroupProps = { left: number; step: number; series: readonly BarSeries[]; index: number; top: number }

function Group({ left, step, series, index, top }: GroupProps) {
  const width = Math.min(GROUP_MAX, step * 0.74)
  const barWidth = width / series.length
  return series.map((each, place) => {
    const value = each.values[index] ?? 0
    if (value <= 0) return null
    const height = Math.max(BAR_MIN, (value / top) * 100)
    return (
      <rect
        key={each.name}
        x={percent(left + (step - width) / 2 + place * barWidth)}
        y={percent(100 - height)}
        width={percent(barWidth * 0.92)}
        height={percent(height)}
        rx="2"
        pointerEvents="none"
        className={FILLS[each.tone]}
      />
    )
  })
}
