'use client'

import type { ReactNode } from 'react'

/** A part of a transaction's page under its heading. */
export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="min-w-0 border-t border-line pt-3">
      <h2 className="pb-2">{title}</h2>
      {children}
    </section>
  )
}
