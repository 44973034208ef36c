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
