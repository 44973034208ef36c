import { Button, buttonClass } from '#components/ui/button.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { useT } from '#components/ui/translations.tsx'

/** Shown above a list that could not be refreshed, with a button to retry. */
export function RefreshNotice({ isFailed, onRetry }: { isFailed: boolean; onRetry: () => void }) {
  const t = useT()
  if (!isFailed) return null
  return (
    <div className="mb-3">
      <Notice
        tone="wait"
        action={
          <Button size="small" onClick={onRetry}>
            {t('ui.retry')}
          </Button>
        }
      >
        {t('state.loadFailed')}
      </Notice>
    </div>
  )
}

/** How many rows came in since, over the head of the table, so that nothing moves when it appears. */
export function NewRows({ count, onShow }: { count: number; onShow: () => void }) {
  const t = useT()
  return (
    <div role="status" className="pointer-events-none absolute inset-x-0 top-1 z-20 flex justify-center">
      {count > 0 && (
        <button
          type="button"
          onClick={onShow}
          className={buttonClass('primary', 'small', 'pointer-events-auto rounded-full! shadow-float')}
        >
          {t('table.new', { count })}
        </button>
      )}
    </div>
  )
}
