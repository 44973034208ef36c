import { useQuery } from '@tanstack/react-query'
import { DecisionReport } from '#components/decision/decision-report.tsx'
import { doneText, endText, type Intent } from '#components/decision/decision-text.tsx'
import { PaymentDecision } from '#components/decision/payment-decision.tsx'
import { UndoLine } from '#components/decision/undo-line.tsx'
import { isWaiting, useIntended } from '#components/decision/use-intended.ts'
import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { PaymentLine } from '#components/domain/payment.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import type { ApprovalRow, DecidedItem, DecisionResult } from '#lib/approvals/approvals.ts'
import { queries } from '#lib/pages/queries.ts'
import { formatCount, moneyText } from '#lib/text/format.ts'
import { oneRow, type Subject } from './board-state.ts'
import { PanelHead, PanelItem, PanelObstacle } from './panel-item.tsx'
import { type Board, BoardContext, useBoardContext } from './use-board.ts'

/** The panel beside the list: the report of a decision, the selection, or one transaction, with the buttons to decide. */
export default function ApprovalPanel({ board }: { board: Board }) {
  return (
    <BoardContext value={board}>
      <PanelBody board={board} />
    </BoardContext>
  )
}

function PanelBody({ board: { subject, state, dispatch } }: { board: Board }) {
  const ended = useEndedRow(subject)
  if (state.report) {
    return (
      <div className="overflow-y-auto p-4.5">
        <DecisionReport report={state.report} onClose={() => dispatch({ type: 'reportClosed' })} />
      </div>
    )
  }
  if (!subject) return null
  return (
    <>
      <PanelHead subject={ended ? oneRow(ended) : subject} />
      <div
        key={keyOf(subject)}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        className="grid min-h-0 flex-1 content-start gap-4 overflow-y-auto overscroll-contain p-4.5 -outline-offset-2!"
      >
        {subject.kind === 'one' ? <PanelItem row={ended ?? subject.row} /> : <PanelSelection items={subject.items} total={subject.total} />}
      </div>
      <PanelFoot subject={subject} ended={ended} />
    </>
  )
}

/** The row as it is now, if it was decided or expired since it was listed. The evidence reads the same, and follows live updates. */
function useEndedRow(subject: Subject | null): ApprovalRow | null {
  const { application } = useBoardContext()
  const row = subject?.kind === 'one' ? subject.row : null
  const { data } = useQuery({ ...queries.approval(application, row?.transactionId ?? ''), enabled: row !== null })
  return row?.status === 'PENDING_APPROVAL' && data && data.row.status !== 'PENDING_APPROVAL' ? data.row : null
}

/** The decision. Another subject has another note. If somebody else ended it, the form stays with what was typed, and sends nothing. */
function PanelFoot({ subject, ended }: { subject: Subject; ended: ApprovalRow | null }) {
  const words = useTranslations()
  const { application, actions, state, dispatch, ask } = useBoardContext()
  const finish = useFinish(useBoardContext())
  const row = subject.kind === 'one' ? subject.row : null
  const { intended, readAtMs } = useIntended(application, row?.canReject === true)
  const own = intended.find((one) => isWaiting(one) && row && one.transactionIds.includes(row.transactionId))
  const isDecidable = row === null || row.canApprove === true || state.intent === 'rejected' || state.intent === 'recall'
  if (row && row.status !== 'PENDING_APPROVAL') return null
  return (
    <div className="border-t border-line px-4.5 py-3 max-sm:pb-[calc(12px+env(safe-area-inset-bottom))]">
      {own ? (
        <UndoLine intention={own} readAtMs={readAtMs} />
      ) : row && !isDecidable ? (
        <PanelObstacle row={row} />
      ) : (
        <PaymentDecision
          key={`${keyOf(subject)} ${state.intent ?? 'validated'}`}
          application={application}
          intent={state.intent ?? 'validated'}
          items={subject.items}
          ended={ended && endText(words, ended.end)}
          actions={actions}
          askedAt={state.focus.on === 'note' ? state.focus.count : 0}
          onIntent={(intent) => (intent === null ? dispatch({ type: 'withdrawn' }) : ask(intent, null))}
          onDraft={() => dispatch({ type: 'drafted', subject })}
          onDone={finish}
        />
      )}
    </div>
  )
}

function keyOf(subject: Subject): string {
  return subject.kind === 'one' ? subject.row.transactionId : 'selection'
}

/** The selection: operators first, then each item that has a risk flag, then the others. */
function PanelSelection({ items, total }: { items: readonly DecidedItem[]; total: number }) {
  const { t, locale } = useTranslations()
  const flagged = items.filter((item) => item.risks.length > 0)
  const others = items.filter((item) => item.risks.length === 0)
  const operators = Map.groupBy(items, (item) => item.operator)
  return (
    <>
      {total > items.length && <Notice tone="wait">{t('approvals.dialog.cut', { count: items.length, total })}</Notice>}
      <ul aria-label={t('payment.field.operator')} className="flex flex-wrap gap-x-4 gap-y-1">
        {[...operators].map(([operator, own]) => (
          <li key={operator} className="flex items-baseline gap-1.5">
            <OperatorMark code={operator} /> <span className="text-quiet tabular">{formatCount(own.length, locale)}</span>
          </li>
        ))}
      </ul>
      <Items title={t('approvals.selection.flagged', { count: flagged.length })} items={flagged} />
      <Items title={t('approvals.selection.others', { count: others.length })} items={others} />
    </>
  )
}

function Items({ title, items }: { title: string; items: readonly DecidedItem[] }) {
  if (items.length === 0) return null
  return (
    <section>
      <h2 className="pb-1.5 text-second font-regular text-quiet">{title}</h2>
      <ul aria-label={title} className="rounded-sm border border-line">
        {items.map((item) => (
          <li key={item.transactionId} className="border-b border-line px-3 py-2 last:border-b-0">
            <PaymentLine payment={item} />
          </li>
        ))}
      </ul>
    </section>
  )
}

/**
 * Handles the server's answer: decided items leave the list, the next row becomes the current one, and a message names
 * what was done and offers the next. Several results, and a refusal, are shown in the panel instead.
 */
function useFinish(board: Board) {
  const { t, locale } = useTranslations()
  const { list, index, dispatch, state, open } = board

  return (results: readonly DecisionResult[], items: readonly DecidedItem[]) => {
    const intent: Intent = state.intent ?? 'validated'
    const gone = goneAfter(intent, results, items)
    const left = list.rows.filter((row) => !gone.has(row.transactionId))
    const before = list.rows.slice(0, Math.max(0, index)).filter((row) => gone.has(row.transactionId)).length
    // An item that can still be undone stays in the list: the next one is after it.
    const intended = new Set(results.flatMap((result) => (result.kind === 'intended' ? [result.transactionId] : [])))
    const after = left.findIndex((row, at) => at >= index - before && !intended.has(row.transactionId))
    const nextIndex = after >= 0 ? after : Math.max(0, Math.min(index - before, left.length - 1))
    const next = left[nextIndex]
    const place = { list: list.list, id: next?.transactionId ?? null, index: nextIndex }
    const isSaid = items.length === 1 ? results[0]?.kind !== 'refused' : results.length > 0 && intended.size === results.length
    const report = isSaid || intent === 'recall' ? null : { items, results, decision: intent }
    list.remove(gone)
    dispatch({ type: 'decided', place, report, focus: report && items.length > 1 ? 'panel' : board.focusAfter() })
    const [item, result] = [items[0], results[0]]
    if (isSaid && item && intended.size === 0)
      toast(doneText(t, locale, intent, item, result?.kind === 'done' ? result : undefined), 'neutral', offerNext(next))
  }

  function offerNext(next: ApprovalRow | undefined) {
    if (!next) return undefined
    const label = t('approvals.toast.next', { amount: moneyText(next, locale), name: next.customerName })
    return { label, onPress: () => (list.has(next) ? open(next) : toast(t('approvals.toast.gone', { name: next.customerName }))) }
  }
}

/** Items that leave the list: those decided here or by somebody else. An item that has changed stays, to be reviewed again. */
function goneAfter(intent: Intent, results: readonly DecisionResult[], items: readonly DecidedItem[]): ReadonlySet<string> {
  if (intent === 'recall') return new Set(items.map((item) => item.transactionId))
  const ended = results.filter(
    (result) =>
      result.kind === 'done' || (result.kind === 'refused' && result.reason !== 'content_changed' && result.reason !== 'intended_already'),
  )
  return new Set(ended.map((result) => result.transactionId))
}
