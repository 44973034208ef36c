import { Skeleton } from './skeleton.tsx'

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
