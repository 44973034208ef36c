'use client'

import type { ReactNode } from 'react'

/** A part of a transaction's page under its heading. */
export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="min-w-0 border-t border-line pt-3">
      <h2 className="pb-2">{title}</h2>
      {children}
    </section>
  )
}

/** A table that may be wider than its container: it scrolls on its own, also by keyboard. */
export function WideTable({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section aria-label={label} tabIndex={0} className="overflow-x-auto print:overflow-visible">
      {children}
    </section>
  )
}
