import type { ReactNode } from 'react'

/** The head of a section of the page: title, what it is for, and its buttons. */
export function SectionHead({ id, title, text, children }: { id: string; title: string; text: string; children?: ReactNode }) {
  return (
    <div className="flex flex-wrap items-end justify-between gap-x-6 gap-y-2">
      <div className="min-w-0 max-w-3xl">
        <h2 id={id}>{title}</h2>
        <p className="text-ink-2">{text}</p>
      </div>
      <div className="flex flex-wrap gap-2">{children}</div>
    </div>
  )
}
