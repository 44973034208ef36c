'use client'

// biome-ignore lint/plugin/no-default-import: the panel is loaded on demand as a whole; on other pages the form alone is.
import DecisionForm from '#components/domain/decision-form.tsx'
import { DecisionReport } from '#components/domain/decision-report.tsx'
import { BoardContext, useBoardContext } from './board-context.ts'
import type { Subject } from './board-state.ts'
import { PanelHead } from './panel-head.tsx'
import { PanelItem, PanelObstacle } from './panel-item.tsx'
import { PanelSelection } from './panel-selection.tsx'
import type { Board } from './use-board.ts'
import { useFinish } from './use-finish.ts'

/** What is in the panel: what a decision did, the selection, or one transaction; and the decision about it. */
export default function ApprovalPanel({ board }: { board: Board }) {
  return (
    <BoardContext value={board}>
      <PanelBody board={board} />
    </BoardContext>
  )
}

function PanelBody({ board: { subject, state, dispatch } }: { board: Board }) {
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
      <PanelHead subject={subject} />
      <div
        key={keyOf(subject)}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        className="grid min-h-0 flex-1 content-start gap-4 overflow-y-auto overscroll-contain p-4.5 -outline-offset-2!"
      >
        {subject.kind === 'one' ? <PanelItem row={subject.row} /> : <PanelSelection items={subject.items} total={subject.total} />}
      </div>
      <PanelFoot subject={subject} />
    </>
  )
}

/** The decision. Another subject has another note. */
function PanelFoot({ subject }: { subject: Subject }) {
  const { application, actions, state, dispatch, ask } = useBoardContext()
  const finish = useFinish(useBoardContext())
  const row = subject.kind === 'one' ? subject.row : null
  const isDecidable = row === null || row.canApprove === true || state.intent === 'rejected' || state.intent === 'recall'
  if (row && row.status !== 'PENDING_APPROVAL') return null
  return (
    <div className="border-t border-line px-4.5 py-3 max-sm:pb-[calc(12px+env(safe-area-inset-bottom))]">
      {row && !isDecidable ? (
        <PanelObstacle row={row} />
      ) : (
        <DecisionForm
          key={`${keyOf(subject)} ${state.intent ?? 'validated'}`}
          application={application}
          intent={state.intent ?? 'validated'}
          items={subject.items}
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
