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
