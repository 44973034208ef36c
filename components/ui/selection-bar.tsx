import type { ReactNode } from 'react'

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
