'use client'

import { Icon } from '#components/ui/icon.tsx'
import { Link } from '#components/ui/link.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { DataColumnMeta } from './features.ts'

export type SortState = { key: string; direction: 'asc' | 'desc' }

/** The heading of a column, with a link where the server can sort by it. */
export function HeadCell({
  meta,
  sort,
  sortHref,
}: {
  meta: DataColumnMeta | undefined
  sort: SortState | undefined
  sortHref: ((key: string, direction: 'asc' | 'desc') => string) | undefined
}) {
  const t = useT()
  const sortKey = meta?.sortKey
  const direction = sortKey && sort?.key === sortKey ? sort.direction : undefined
  const words = meta ? t(meta.label) : ''
  return (
    <th
      role="columnheader"
      scope="col"
      aria-sort={direction === 'asc' ? 'ascending' : direction === 'desc' ? 'descending' : undefined}
      className={`table-head table-head-text ${meta?.align === 'end' ? 'text-right' : ''} ${meta?.className ?? ''}`}
    >
      {sortKey && sortHref ? (
        <Link
          href={sortHref(sortKey, direction === 'desc' ? 'asc' : 'desc')}
          scroll={false}
          className="inline-flex items-center gap-1 hover:text-ink"
        >
          {words}
          {direction && <Icon name={direction === 'asc' ? 'arrow-up' : 'arrow-down'} className="size-3" />}
        </Link>
      ) : (
        words
      )}
    </th>
  )
}
