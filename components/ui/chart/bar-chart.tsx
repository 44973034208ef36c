import type { ComponentProps } from 'react'
import { axisValues } from '#lib/finance/chart.ts'
import { Link } from '../link.tsx'
import { BAR_MIN, ChartFrame, PointerArea, percent } from './chart-parts.tsx'

/** One series: its name, its colour, and one number per label for drawing only. */
type BarSeries = { name: string; tone: 'accent' | 'run'; values: readonly number[] }

type BarChartProps = Pick<ComponentProps<typeof ChartFrame>, 'title' | 'aside' | 'locale' | 'labels' | 'tableLabel' | 'table'> & {
  series: readonly BarSeries[]
  /** The link and the tooltip of each group, for the pointer only: the keyboard uses the links of the table. Left out: the bars lead nowhere. */
  links?: readonly { href: string; hint: string }[]
}

const FILLS: Record<BarSeries['tone'], string> = { accent: 'fill-accent', run: 'fill-run/70' }
const MARKS: Record<BarSeries['tone'], string> = { accent: 'bg-accent', run: 'bg-run/70' }
/** A group is at most this wide, in percent of the chart. */
const GROUP_MAX = 9

/** Bars side by side on one scale. */
export function BarChart({ series, links, ...frame }: BarChartProps) {
  const { labels } = frame
  const axis = axisValues(Math.max(0, ...series.flatMap((each) => each.values)))
  const top = axis.at(-1) ?? 1
  const step = 100 / Math.max(1, labels.length)
  return (
    <ChartFrame {...frame} axis={axis} legend={series.map(({ name, tone }) => ({ name, mark: MARKS[tone] }))}>
      {labels.map((label, index) => {
        const link = links?.[index]
        if (series.every((each) => !each.values[index])) return null
        const group = <Group key={label} left={index * step} step={step} series={series} index={index} top={top} />
        if (!link) return group
        return (
          <Link key={label} href={link.href} tabIndex={-1} className="group">
            <title>{link.hint}</title>
            <PointerArea left={index * step} step={step} className="group-hover:fill-ink/5" />
            {group}
          </Link>
        )
      })}
    </ChartFrame>
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
