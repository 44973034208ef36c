import type { ReactNode } from 'react'

type TableCardProps = {
  /** What is in it. */
  label: string
  /** Without a surface and a frame, inside a card that has them. */
  isBare?: boolean
  className?: string
  children: ReactNode
}

/** The surface around a plain table. If the table is wider it scrolls, also by keyboard, and the page stays still; on paper nothing scrolls. */
export function TableCard({ label, isBare = false, className = '', children }: TableCardProps) {
  return (
    // Positioned, so that visually hidden text does not widen the page.
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      className={`@container/card relative min-w-0 overflow-x-auto print:overflow-visible ${isBare ? '' : 'rounded-lg border border-line bg-surface print:border-0'} ${className}`}
    >
      {children}
    </section>
  )
}
