import type { ReactNode } from 'react'

/** The title of a page, an optional line below it, and its actions. */
export function PageHeader({ title, lead, actions }: { title: string; lead?: ReactNode; actions?: ReactNode }) {
  return (
    <header className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
      {/* Whether actions fit beside a title with a line below it must not depend on the font, which arrives later: on narrow screens the title
          has the width for itself, on wide ones its line wraps beside the actions. */}
      <div className={lead ? 'min-w-0 max-lg:basis-full lg:flex-1 lg:basis-96' : 'min-w-0'}>
        <h1>{title}</h1>
        {lead && <p className="text-ink-2">{lead}</p>}
      </div>
      {actions && <div className="no-print flex flex-wrap gap-2">{actions}</div>}
    </header>
  )
}
