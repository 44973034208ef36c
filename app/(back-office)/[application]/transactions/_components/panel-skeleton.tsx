import { Skeleton } from '#components/ui/display/page.tsx'
import { useT } from '#components/ui/translations.tsx'

/** Shown in the panel until its code and its transaction have arrived. */
export function PanelSkeleton() {
  const t = useT()
  return (
    <div role="status" aria-label={t('ui.loading')} className="grid gap-3">
      <Skeleton className="h-9 w-48" />
      <Skeleton className="h-5 w-32" />
      {['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((line) => (
        <Skeleton key={line} className="h-5 w-full" />
      ))}
    </div>
  )
}
