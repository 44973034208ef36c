import type { ReactNode } from 'react'

/**
 * The surface around a plain table. Where there is less room than the table needs it scrolls by itself, also by keyboard, and
 * the page stays still; on paper nothing scrolls. `label` says what is in it.
 */
export function TableCard({ label, className = '', children }: { label: string; className?: string; children: ReactNode }) {
  return (
    // Positioned, or words that only screen readers get would widen the page from where the table is cut off.
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
