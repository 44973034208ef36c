import type { ReactNode } from 'react'

/** A plain table (statements, totals). */
export function Table({
  caption,
  isCaptionHidden = true,
  head,
  children,
}: {
  caption: string
  isCaptionHidden?: boolean
  head: ReactNode
  children: ReactNode
}) {
  return (
    <table className="w-full border-collapse text-left">
      <caption className={isCaptionHidden ? 'sr-only' : 'pb-2 text-left font-strong'}>{caption}</caption>
      <thead>
        <tr className="border-b border-line">{head}</tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  )
}

/** A head cell; `align="end"` for figures. */
export function Th({ children, align = 'start', className = '' }: { children?: ReactNode; align?: 'start' | 'end'; className?: string }) {
  return (
    <th
      scope="col"
      className={`h-9 px-3 text-second font-medium text-quiet whitespace-nowrap ${align === 'end' ? 'text-right' : ''} ${className}`}
    >
      {children}
    </th>
  )
}

/** A cell; `align="end"` for figures. */
export function Td({ children, align = 'start', className = '' }: { children?: ReactNode; align?: 'start' | 'end'; className?: string }) {
  return <td className={`h-10 px-3 py-1.5 ${align === 'end' ? 'text-right tabular' : ''} ${className}`}>{children}</td>
}

/** A row of 40 px with one line, with a rule below it. */
export function Tr({ children, className = '' }: { children: ReactNode; className?: string }) {
  return <tr className={`border-b border-line last:border-b-0 ${className}`}>{children}</tr>
}
