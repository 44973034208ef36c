import { type KeyboardEvent, useEffect } from 'react'
import { Skeleton } from '#components/ui/display/page.tsx'
import { definePart, LazyPart } from '#components/ui/overlay/lazy-part.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { Board } from './use-board.ts'

/** The form of the filter by amount: loaded when the page is idle, shown when the filter is opened. */
export const AMOUNT_FORM = definePart(async () => ({ default: (await import('#components/form/amount-range-form.tsx')).AmountRangeForm }))

export const BULK_BAR = definePart(() => import('./bulk-bar.tsx'))

const CONTENT = definePart(() => import('./approval-panel.tsx'))
/** Parts that open later on this page, fetched when idle so that they also open without a connection. */
const LATER = [CONTENT, BULK_BAR, AMOUNT_FORM]

/**
 * Where decisions are made: beside the list where there is room, over its side where there is less, over all of it on a phone. Not modal:
 * the list and its keys keep working. Its head and its buttons stay in sight, and what is between them scrolls.
 */
export function BoardPanel({ board }: { board: Board }) {
  const t = useT()
  const { subject, state, dispatch, isPanelOver } = board
  useEffect(() => {
    const idle = globalThis.requestIdleCallback ?? ((then: () => void) => setTimeout(then, 200))
    // biome-ignore lint/plugin/no-silent-error: a load that fails here is tried again when its part is opened.
    idle(() => LATER.map((part) => part.load().catch(() => undefined)))
  }, [])
  if (!subject && !state.report) return null
  const label = state.report
    ? t('approvals.report.title')
    : subject?.kind === 'one'
      ? t('approvals.panel.title', { name: subject.row.customerName })
      : t('table.selected', { count: subject?.items.length ?? 0 })

  /** Escape first leaves a reason, then the panel. From a field, where the keys of the page are silent, too. */
  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'Escape') return
    event.stopPropagation()
    event.nativeEvent.stopImmediatePropagation()
    if (state.report) return dispatch({ type: 'reportClosed' })
    if (state.intent !== null && state.intent !== 'validated') return dispatch({ type: 'withdrawn' })
    if (state.held) return dispatch({ type: 'moved', place: state.place, focus: isPanelOver() ? 'panel' : 'row' })
    dispatch({ type: 'closed' })
  }

  return (
    <aside
      id="approval-panel"
      tabIndex={-1}
      aria-label={label}
      data-open={state.isPanelOpen}
      onKeyDown={onKeyDown}
      className="no-print approval-panel flex min-h-0 flex-col bg-surface shadow-float max-[1400px]:data-[open=false]:hidden"
    >
      <LazyPart
        part={CONTENT}
        props={{ board }}
        subject={subject?.kind === 'one' ? subject.row.transactionId : label}
        fallback={<PanelWaiting />}
      />
    </aside>
  )
}

function PanelWaiting() {
  return (
    <div className="grid gap-4 p-4.5">
      <Skeleton className="h-5 w-32" />
      <Skeleton className="h-8 w-40" />
      <Skeleton className="h-40 w-full" />
    </div>
  )
}
