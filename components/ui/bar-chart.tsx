import type { ReactNode } from 'react'
import { Link } from './link.tsx'

/** One series: its name, its colour, and one number per label for drawing only. */
type BarSeries = { name: string; tone: 'accent' | 'bad' | 'ok' | 'wait' | 'run'; values: readonly number[] }

type BarChartProps = {
  /** The accessible name of the chart. */
  title: string
  /** One label per bar; the first and last (and some between) are written below. */
  labels: readonly string[]
  series: readonly BarSeries[]
  /** The link and the tooltip of each bar, for the pointer only: the keyboard uses the links of the table. */
  links: readonly { href: string; hint: string }[]
  /** The label of the switch to the table. */
  tableLabel: string
  /** The same figures as a table, for screen readers and print. */
  table: ReactNode
}

const FILLS: Record<BarSeries['tone'], string> = {
  accent: 'fill-accent',
  bad: 'fill-bad/75',
  ok: 'fill-ok',
  wait: 'fill-wait',
  run: 'fill-run',
}
const MARKS: Record<BarSeries['tone'], string> = { accent: 'bg-accent', bad: 'bg-bad', ok: 'bg-ok', wait: 'bg-wait', run: 'bg-run' }
const WIDTH = 1000
const HEIGHT = 190
const LABELS_MAX = 6

/** Stacked bars as plain SVG, rendered on the server, with the figures as a table behind a switch that needs no script. */
export function BarChart({ title, labels, series, links, tableLabel, table }: BarChartProps) {
  const totals = labels.map((_, index) => series.reduce((sum, each) => sum + (each.values[index] ?? 0), 0))
  const highest = Math.max(1, ...totals)
  const step = WIDTH / Math.max(1, labels.length)
  const barWidth = Math.min(40, step * 0.68)
  const written = writtenLabels(labels)
  return (
    <figure>
      <figcaption className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <span className="font-strong">{title}</span>
        <span className="flex gap-4 text-second text-quiet">
          {series.map((each) => (
            <span key={each.name} className="inline-flex items-center gap-1.5">
              <span aria-hidden="true" className={`size-[7px] rounded-[2px] ${MARKS[each.tone]}`} />
              {each.name}
            </span>
          ))}
        </span>
      </figcaption>
      <svg aria-hidden="true" viewBox={`0 0 ${WIDTH} ${HEIGHT + 2}`} preserveAspectRatio="none" className="mt-4 h-44 w-full">
        {labels.map((label, index) => {
          const link = links[index]
          if (!link || totals[index] === 0) return null
          return (
            <Link key={label} href={link.href} tabIndex={-1}>
              <title>{link.hint}</title>
              <rect x={index * step} y="0" width={step} height={HEIGHT} fill="none" pointerEvents="all" className="hover:fill-sunken" />
              <Stack x={index * step + (step - barWidth) / 2} width={barWidth} series={series} index={index} highest={highest} />
            </Link>
          )
        })}
        <rect x="0" y={HEIGHT} width={WIDTH} height="1" className="fill-line" />
      </svg>
      <div aria-hidden="true" className="mt-1.5 flex justify-between text-second text-quiet tabular">
        {written.map((label) => (
          <span key={label} className="whitespace-nowrap">
            {label}
          </span>
        ))}
      </div>
      <details className="mt-3 print:hidden">
        <summary className="inline-flex text-second text-accent hover:underline">{tableLabel}</summary>
        <div className="relative mt-2 overflow-x-auto">{table}</div>
      </details>
    </figure>
  )
}

/** Returns the first, the last and some labels at equal distances between, so that each is below its bar. */
function writtenLabels(labels: readonly string[]): string[] {
  const last = labels.length - 1
  const gaps = Math.min(last, LABELS_MAX - 1)
  return labels.filter((_, index) => gaps <= 0 || index === Math.round((Math.round((index * gaps) / last) * last) / gaps))
}

function Stack({
  x,
  width,
  series,
  index,
  highest,
}: {
  x: number
  width: number
  series: readonly BarSeries[]
  index: number
  highest: number
}) {
  let top = HEIGHT
  return series.map((each) => {
    const value = each.values[index] ?? 0
    const height = value <= 0 ? 0 : Math.max(1.5, (value / highest) * (HEIGHT - 4))
    top -= height
    const rect = (
      <rect
        key={each.name}
        x={x.toFixed(1)}
        y={top.toFixed(1)}
        width={width.toFixed(1)}
        height={Math.max(0, height - 1).toFixed(1)}
        rx="2"
        pointerEvents="none"
        className={FILLS[each.tone]}
      />
    )
    return height === 0 ? null : rect
  })
}
