import { doneText, type Intent } from '#components/domain/decision-text.ts'
import { toast } from '#components/ui/toast.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import type { ApprovalRow, DecidedItem, DecisionResult } from '#lib/approvals.ts'
import { moneyText } from '#lib/format.ts'
import type { Board } from './use-board.ts'

/**
 * What happens once the server has answered: what was decided leaves the list, the next row becomes the current one, and a message names
 * what was done and offers the next. Several results, and a refusal, are shown in the panel instead.
 */
export function useFinish(board: Board) {
  const { t, locale } = useTranslations()
  const { list, index, dispatch, state, open } = board

  return (results: readonly DecisionResult[], items: readonly DecidedItem[]) => {
    const intent: Intent = state.intent ?? 'validated'
    const gone = goneAfter(intent, results, items)
    const left = list.rows.filter((row) => !gone.has(row.transactionId))
    const before = list.rows.slice(0, Math.max(0, index)).filter((row) => gone.has(row.transactionId)).length
    const nextIndex = Math.max(0, Math.min(index - before, left.length - 1))
    const next = left[nextIndex]
    const place = { list: list.list, id: next?.transactionId ?? null, index: nextIndex }
    const isSaid = items.length === 1 && results[0]?.kind !== 'refused'
    const report = isSaid || intent === 'recall' ? null : { items, results, decision: intent }
    list.remove(gone)
    dispatch({ type: 'decided', place, report, focus: report && items.length > 1 ? 'panel' : board.focusAfter() })
    const [item, result] = [items[0], results[0]]
    if (isSaid && item) toast(doneText(t, locale, intent, item, result?.kind === 'done' ? result : undefined), 'neutral', offerNext(next))
  }

  function offerNext(next: ApprovalRow | undefined) {
    if (!next) return undefined
    const label = t('approvals.toast.next', { amount: moneyText(next, locale), name: next.customerName })
    return { label, onPress: () => open(next) }
  }
}

/** What leaves the list: what was decided, and what somebody else has decided. What has changed stays, to be looked at again. */
function goneAfter(intent: Intent, results: readonly DecisionResult[], items: readonly DecidedItem[]): ReadonlySet<string> {
  if (intent === 'recall') return new Set(items.map((item) => item.transactionId))
  const ended = results.filter((result) => result.kind === 'done' || result.reason !== 'content_changed')
  return new Set(ended.map((result) => result.transactionId))
}
