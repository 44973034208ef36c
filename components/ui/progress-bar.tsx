/** How much of something is done. The browsers' own progress element has colours of its own in each of them. */
export function ProgressBar({ label, value, max }: { label: string; value: number; max: number }) {
  return (
    <svg
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={max}
      aria-valuenow={value}
      viewBox="0 0 100 1"
      preserveAspectRatio="none"
      className="h-2 w-full rounded-full"
    >
      <rect width="100" height="1" className="fill-line" />
      <rect width={(value * 100) / Math.max(max, 1)} height="1" className="fill-accent" />
    </svg>
  )
}
