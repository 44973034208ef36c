import type { ReactNode } from 'react'

/**
 * The surface around a plain table. If the table is wider it scrolls, also by keyboard, and
 * the page stays still; on paper nothing scrolls. `label` says what is in it.
 */
export function TableCard({ label, className = '', children }: { label: string; className?: string; children: ReactNode }) {
  return (
    // Positioned, so that visually hidden text does not widen the page.
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      className={`relative overflow-x-auto rounded-lg border border-line bg-surface print:overflow-visible print:border-0 ${className}`}
    >
      {children}
    </section>
  )
}
