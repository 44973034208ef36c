import type { ReactNode } from 'react'
import { Link } from '../link.tsx'

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

type Tab = { href: string; label: string; count?: string | undefined; isCurrent: boolean }

/** Views of one page as links: each has its own address, and the current one says so. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  return (
    <nav aria-label={label} className="no-print -mb-px overflow-x-auto border-b border-line">
      <ul className="flex gap-5">
        {tabs.map((tab) => (
          <li key={tab.href}>
            <Link
              href={tab.href}
              aria-current={tab.isCurrent ? 'page' : undefined}
              className="flex h-10 items-center gap-1.5 border-b-2 border-transparent font-medium whitespace-nowrap text-ink-2 hover:text-ink aria-[current=page]:border-accent aria-[current=page]:font-strong aria-[current=page]:text-ink"
            >
              {tab.label}
              {tab.count !== undefined && <span className="font-regular text-quiet tabular">{tab.count}</span>}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** The skeleton of a loading page. `label` is its accessible name. */
export function PageSkeleton({ label, rows = 10, rowHeight = 56 }: { label: string; rows?: number; rowHeight?: 40 | 56 }) {
  return (
    <div role="status" aria-label={label}>
      <Skeleton className="h-7 w-48" />
      <Skeleton className="mt-2 h-4 w-72" />
      <div className="mt-6 flex gap-2">
        {['a', 'b', 'c', 'd'].map((chip) => (
          <Skeleton key={chip} className="h-[30px] w-28" />
        ))}
      </div>
      <div className="mt-6 border-t border-line">
        {Array.from({ length: rows }, (_, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all the same and never move
          <div key={row} className={`flex items-center gap-6 border-b border-line ${rowHeight === 56 ? 'h-14' : 'h-10'}`}>
            <Skeleton className="h-4 w-20" />
            <Skeleton className="h-4 w-32" />
            <Skeleton className="ml-auto h-4 w-28" />
            <Skeleton className="hidden h-4 w-40 md:block" />
            <Skeleton className="hidden h-4 w-24 md:block" />
          </div>
        ))}
      </div>
    </div>
  )
}

/** A grey bar in place of a text that is loading. `className` sets width and height. */
export function Skeleton({ className = 'h-4 w-24' }: { className?: string }) {
  return <span aria-hidden="true" className={`block animate-pulse rounded-[4px] bg-sunken ${className}`} />
}

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
