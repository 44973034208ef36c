import type { ReactNode } from 'react'

export type Tone = 'ok' | 'bad' | 'wait' | 'run' | 'accent' | 'neutral'

const TONES: Record<Tone, string> = {
  ok: 'bg-ok-soft text-ok',
  bad: 'bg-bad-soft text-bad',
  wait: 'bg-wait-soft text-wait',
  run: 'bg-run-soft text-run',
  accent: 'bg-accent-soft text-accent',
  neutral: 'bg-sunken text-ink-2',
}

/** A short label on a coloured background. `hasDot` adds a mark, so that the state is not shown by colour alone. */
export function Badge({ tone = 'neutral', hasDot = false, children }: { tone?: Tone; hasDot?: boolean; children: ReactNode }) {
  return (
    <span className={`inline-flex items-center gap-1.5 rounded-full px-2 py-px text-second font-medium whitespace-nowrap ${TONES[tone]}`}>
      {hasDot && <span aria-hidden="true" className="size-[7px] rounded-full bg-current" />}
      {children}
    </span>
  )
}

/** A number beside a navigation item or a tab; `label` says what is counted. */
export function CountBadge({ count, label, tone = 'accent' }: { count: string; label: string; tone?: Tone }) {
  return (
    <span className={`rounded-full px-1.5 text-second font-strong tabular ${TONES[tone]}`}>
      <span aria-hidden="true">{count}</span>
      <span className="sr-only">{label}</span>
    </span>
  )
}

/** A key as it is printed on the keyboard. */
export function Kbd({ children }: { children: string }) {
  return (
    <kbd className="inline-flex h-[18px] min-w-[18px] items-center justify-center rounded-[4px] border border-line-2 bg-surface px-1 font-sans text-[11px] font-medium text-ink-2">
      {children}
    </kbd>
  )
}

/** `parts`: how much of `value` ended well and how much did not; they add up to it. */
type ProgressProps = { label: string; value: number; max: number; parts?: { ok: number; bad: number } }

/** How much of something is done. The browsers' own progress element has colours of its own in each of them. */
export function ProgressBar({ label, value, max, parts }: ProgressProps) {
  const widthOf = (part: number) => (part * 100) / Math.max(max, 1)
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
      {parts ? (
        <>
          <rect width={widthOf(parts.ok)} height="1" className="fill-ok" />
          <rect x={widthOf(parts.ok)} width={widthOf(parts.bad)} height="1" className="fill-bad" />
        </>
      ) : (
        <rect width={widthOf(value)} height="1" className="fill-accent" />
      )}
    </svg>
  )
}
