/** One line of the table: what was measured, what it is held against, and the bar. */
export type Figure = {
  name: string
  value: number
  unit: string
  /** The reference value, measured in the same run and in the same unit. */
  limit?: { name: string; value: number }
  /** Median of the ratios of measurements that took turns, which a busy machine disturbs least; otherwise value / limit. */
  pairedRatio?: number
  /** The bar is on the ratio, or on the value itself where there is no limit. */
  bar?: { kind: 'at least' | 'at most'; threshold: number }
  /** Explains the figure: CPU shares, batch sizes. */
  note?: string
}

/** The value divided by its limit; undefined without a limit. */
export function ratioOf(figure: Figure): number | undefined {
  if (figure.limit === undefined) return undefined
  return figure.pairedRatio ?? figure.value / figure.limit.value
}

/** Undefined where there is no bar. A figure that could not be measured (NaN) misses its bar. */
export function isMet(figure: Figure): boolean | undefined {
  if (!figure.bar) return undefined
  const compared = ratioOf(figure) ?? figure.value
  return figure.bar.kind === 'at least' ? compared >= figure.bar.threshold : compared <= figure.bar.threshold
}

/** The table as lines of text; notes follow the lines that they explain. */
export function tableOf(figures: Figure[]): string[] {
  const rows = figures.map((figure) => [
    figure.name,
    `${format(figure.value)} ${figure.unit}`,
    figure.limit ? `${format(figure.limit.value)} (${figure.limit.name})` : '',
    format(ratioOf(figure)),
    figure.bar ? `${figure.bar.kind} ${figure.bar.threshold}` : '',
    { true: 'met', false: 'MISSED', undefined: '' }[String(isMet(figure)) as 'true' | 'false' | 'undefined'],
  ])
  const all = [['figure', 'measured', 'limit', 'ratio', 'bar', ''], ...rows]
  const widths = all[0]?.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0))) ?? []
  const lines = all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  return lines.flatMap((line, index) => {
    const note = figures[index - 1]?.note
    return note ? [line, `    ${note}`] : [line]
  })
}

/** Three significant digits, so that no figure suggests more precision than it has. */
function format(value: number | undefined): string {
  if (value === undefined) return ''
  if (!Number.isFinite(value)) return 'none'
  return Math.abs(value) >= 100 ? Math.round(value).toLocaleString('en-GB') : String(Number(value.toPrecision(3)))
}

/** The middle of repeated measurements. */
export function median(values: number[]): number {
  const sorted = [...values].sort((left, right) => left - right)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? Number.NaN)
    : ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2
}

/** The median of left / right, pair by pair. Both have the same length. */
export function medianRatio(left: number[], right: number[]): number {
  return median(left.map((value, index) => value / (right[index] ?? Number.NaN)))
}

/** The value below which `percent` of the values lie. */
export function percentile(values: number[], percent: number): number {
  const sorted = [...values].sort((left, right) => left - right)
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN
}
