import type { ReactNode } from 'react'
import { formatAxisValue } from '#lib/finance/chart.ts'
import type { Locale } from '#lib/i18n/locale.ts'

const LABELS_MAX = 7
/** From this many labels on, every second one is left out on a phone. */
const LABELS_NARROW = 5
/** A bar of any amount is visible, in percent of the height. */
export const BAR_MIN = 0.8

/** A place or length in the chart. Percentages need no inline style, which the content policy refuses, and distort no text. */
export function percent(value: number): string {
  return `${value.toFixed(2)}%`
}

type ChartFrameProps = {
  /** The accessible name of the chart. */
  title: string
  /** Beside the title, for example a choice. */
  aside?: ReactNode
  legend: readonly { name: string; mark: string }[]
  /** The values of the scale, without zero. */
  axis: readonly number[]
  locale: Locale
  /** One label per place of the chart; if there are many, some of them are written. */
  labels: readonly string[]
  /** Between the bars and their labels. */
  band?: ReactNode
  note?: ReactNode
  /** The label of the switch to the table. */
  tableLabel: string
  /** The same figures as a table, for screen readers and print. */
  table: ReactNode
  /** The bars, as SVG. */
  children: ReactNode
}

/** The parts that every chart has around its bars: title, legend, scale, labels, and the figures as a table behind a switch that needs no script. */
export function ChartFrame({ title, aside, legend, axis, locale, labels, band, note, tableLabel, table, children }: ChartFrameProps) {
  return (
    <figure className="min-w-0">
      <figcaption className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span className="font-strong">{title}</span>
          {aside}
        </span>
        <Legend entries={legend} />
      </figcaption>
      <div className="mt-4 flex gap-2">
        <Axis values={axis.map((value) => formatAxisValue(value, locale))} />
        <div className="min-w-0 flex-1">
          <svg aria-hidden="true" className="h-44 w-full overflow-visible">
            <GridLines axis={axis} />
            {children}
          </svg>
          {band}
          <Labels labels={labels} />
        </div>
      </div>
      {note && <p className="text-second text-quiet">{note}</p>}
      <TableSwitch label={tableLabel}>{table}</TableSwitch>
    </figure>
  )
}

/** The whole height of a place in the chart: takes the pointer and shows it. */
export function PointerArea({ left, step, className }: { left: number; step: number; className: string }) {
  return <rect x={percent(left)} y="0" width={percent(step)} height="100%" fill="none" pointerEvents="all" className={className} />
}

/** The legend. `mark`: the class of the colour. */
function Legend({ entries }: { entries: readonly { name: string; mark: string }[] }) {
  return (
    <span className="flex flex-wrap gap-x-4 gap-y-1 text-second text-quiet">
      {entries.map(({ name, mark }) => (
        <span key={name} className="inline-flex items-center gap-1.5">
          <span aria-hidden="true" className={`size-[7px] rounded-[2px] ${mark}`} />
          {name}
        </span>
      ))}
    </span>
  )
}

/** The lines of the scale: zero and each of its values. */
function GridLines({ axis }: { axis: readonly number[] }) {
  const top = axis.at(-1) ?? 1
  return [0, ...axis].map((value) => (
    <rect key={value} x="0" y={percent(100 - (value / top) * 100)} width="100%" height="1" className="fill-line" />
  ))
}

/** The same figures as a table, behind a switch that needs no script. `label`: that of the switch. */
function TableSwitch({ label, children }: { label: string; children: ReactNode }) {
  return (
    <details className="mt-3 print:hidden">
      <summary className="inline-flex text-second text-accent hover:underline">{label}</summary>
      <div className="relative mt-2 overflow-x-auto">{children}</div>
    </details>
  )
}

/** The values of the scale, each beside its line. */
function Axis({ values }: { values: readonly string[] }) {
  const all = ['0', ...values]
  return (
    <div aria-hidden="true" className="relative grid h-44 shrink-0 text-second text-quiet tabular">
      {/* Makes the column as wide as its longest value. */}
      {all.map((value) => (
        <span key={value} className="invisible col-start-1 row-start-1">
          {value}
        </span>
      ))}
      <svg aria-hidden="true" className="absolute inset-0 size-full overflow-visible fill-current">
        {all.map((value, index) => (
          <text key={value} x="100%" y={percent(100 - (index / Math.max(1, all.length - 1)) * 100)} dy="0.35em" textAnchor="end">
            {value}
          </text>
        ))}
      </svg>
    </div>
  )
}

/** Labels below the middle of their bars. */
function Labels({ labels }: { labels: readonly string[] }) {
  const places = writtenPlaces(labels.length)
  return (
    <svg aria-hidden="true" className="mt-1.5 h-5 w-full overflow-visible fill-current text-second text-quiet tabular">
      {places.map((index, place) => {
        // Below narrow bars the first and the last label would spill out of the chart.
        const edge = labels.length <= LABELS_MAX * 2 ? undefined : index === 0 ? 'start' : index === labels.length - 1 ? 'end' : undefined
        return (
          <text
            key={labels[index]}
            x={edge === 'start' ? '0%' : edge === 'end' ? '100%' : percent(((index + 0.5) / labels.length) * 100)}
            y="14"
            textAnchor={edge ?? 'middle'}
            className={places.length >= LABELS_NARROW && place % 2 === 1 ? 'max-sm:hidden' : undefined}
          >
            {labels[index]}
          </text>
        )
      })}
    </svg>
  )
}

/** The places of the labels that are written: all of a few, otherwise the first, the last and some at equal distances between. */
function writtenPlaces(count: number): number[] {
  const written = Math.min(count, LABELS_MAX)
  return Array.from({ length: written }, (_, place) => (written < 2 ? 0 : Math.round((place * (count - 1)) / (written - 1))))
}

/**
 * A small line of recent values, oldest first. `label` is its accessible name. Values are
 * plain numbers for drawing only; figures beside it come from exact money.
 */
export function Sparkline({ values, label, tone = 'accent' }: { values: readonly number[]; label: string; tone?: 'accent' | 'bad' }) {
  if (values.length < 2) return null
  const lowest = Math.min(...values)
  const span = Math.max(...values) - lowest || 1
  const points = values.map(
    (value, index) => `${((index / (values.length - 1)) * 94 + 1).toFixed(1)},${(23 - ((value - lowest) / span) * 20).toFixed(1)}`,
  )
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox="0 0 96 26"
      className={`h-[26px] w-24 shrink-0 ${tone === 'bad' ? 'text-bad' : 'text-accent'}`}
    >
      <polyline
        points={points.join(' ')}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinejoin="round"
        strokeLinecap="round"
      />
    </svg>
  )
}
