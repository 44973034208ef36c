import type { ReactNode } from 'react'

/** A bordered surface. Not nested. */
export function Card({ children, className = '' }: { children: ReactNode; className?: string }) {
  return <section className={`rounded-lg border border-line bg-surface p-4 ${className}`}>{children}</section>
}

/** Name and value pairs with grey names on the left. */
export function Facts({ facts, nameClass = 'w-28' }: { facts: readonly { name: string; value: ReactNode }[]; nameClass?: string }) {
  return (
    <dl className="grid gap-1.5">
      {facts.map((fact) => (
        <div key={fact.name} className="flex gap-3">
          <dt className={`shrink-0 text-quiet ${nameClass}`}>{fact.name}</dt>
          <dd className="min-w-0 flex-1 wrap-anywhere">{fact.value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** A bar at the bottom of a list while rows are selected: count and sums on the left, actions on the right. */
export function SelectionBar({ label, summary, children }: { label: string; summary: ReactNode; children: ReactNode }) {
  return (
    <section
      aria-label={label}
      data-selection-bar
      className="no-print sticky bottom-20 z-20 mt-4 flex flex-wrap items-center justify-between gap-3 rounded-lg bg-ink px-4 py-2 text-paper shadow-float md:bottom-4"
    >
      <p className="flex flex-wrap gap-x-2 gap-y-0.5 tabular">{summary}</p>
      <div className="flex flex-wrap gap-2">{children}</div>
    </section>
  )
}
