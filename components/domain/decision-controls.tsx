'use client'

import { lazy, Suspense, useState } from 'react'
import { Button, type ButtonSize, NotAllowed } from '#components/ui/button.tsx'
import { toast } from '#components/ui/toast.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { ApprovalRow, DecisionResult } from '#lib/approvals.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/paths.ts'
import type { DecideAction, RecallAction } from './decision-text.ts'

const DecisionDialog = lazy(() => import('./decision-dialog.tsx'))
const RecallDialog = lazy(() => import('./recall-dialog.tsx'))

export type DecisionButtonsProps = {
  application: string
  row: ApprovalRow
  size?: ButtonSize
  /** Validate is the decision at hand, not one of many rows. */
  isPrimary?: boolean
  className?: string
  onAsk: (question: 'validated' | 'rejected' | 'recall') => void
}

/** Validate and Reject, or the reason in words in their place; Recall for who made it. Enabled by what the server said of the row. */
export function DecisionButtons({ application, row, size = 'medium', isPrimary = false, className = '', onAsk }: DecisionButtonsProps) {
  const t = useT()
  const wide = isPrimary ? 'flex-1' : ''
  // In a list, a screen reader must hear which transaction a button is about.
  const about = !isPrimary && (
    <span className="sr-only">
      , {row.customerName}, {row.amount} {row.currency}
    </span>
  )
  if (row.canRecall === true) {
    return (
      <span className={`flex flex-wrap items-center gap-2 ${className}`}>
        <NotAllowed reason={t('approvals.obstacle.is_maker')} />
        <Button variant="danger" size={size} className={wide} onClick={() => onAsk('recall')}>
          {t('approvals.recall.button')}
          {about}
        </Button>
      </span>
    )
  }
  if (row.canReject !== true) return <NotAllowed reason={obstacleText(t, row)} />
  return (
    <span className={`flex flex-wrap items-center gap-2 ${className}`}>
      {row.canApprove === true ? (
        <Button size={size} variant={isPrimary ? 'primary' : 'quiet'} className={wide} onClick={() => onAsk('validated')}>
          {t('approvals.validate')}
          {about}
        </Button>
      ) : row.canApprove !== 'second_factor_missing' ? (
        <NotAllowed reason={t(`approvals.obstacle.${row.canApprove}`)} />
      ) : (
        <a
          href={paths.enrol(paths.approvals(application))}
          title={t('approvals.obstacle.second_factor_missing')}
          className={`text-second text-accent underline ${isPrimary ? 'basis-full' : ''}`}
        >
          {t(size === 'small' ? 'approvals.obstacle.codes' : 'approvals.obstacle.second_factor_missing')}
        </a>
      )}
      <Button size={size} variant="danger" className={wide} onClick={() => onAsk('rejected')}>
        {t('approvals.reject')}
        {about}
      </Button>
    </span>
  )
}

/** Why there is no button, in words. */
export function obstacleText(t: Translate, row: ApprovalRow): string {
  if (row.canReject === true) return ''
  // How it ended says more than why this person could not have decided.
  if (row.end) return t(`approvals.endedShort.${row.end.event}`, { name: row.end.by ?? '' })
  return t(`approvals.obstacle.${row.canReject}`)
}

export type DecisionControlsProps = {
  application: string
  row: ApprovalRow
  actions: { decide: DecideAction; recall: RecallAction }
  /** Something was decided or refused: what is shown may be old. */
  onDecided: (results: readonly DecisionResult[]) => void
}

/** The same buttons with their dialogs, for the page of one transaction. Needs the words under `approvals.`. */
export function DecisionControls({ application, row, actions, onDecided }: DecisionControlsProps) {
  const t = useT()
  const [question, setQuestion] = useState<'validated' | 'rejected' | 'recall' | null>(null)
  const close = () => setQuestion(null)
  return (
    <>
      <DecisionButtons application={application} row={row} isPrimary onAsk={setQuestion} />
      <Suspense>
        {question === 'recall' && (
          <RecallDialog
            application={application}
            row={row}
            recall={actions.recall}
            onClose={close}
            onDone={() => {
              close()
              toast(t('approvals.recall.done'))
              onDecided([])
            }}
          />
        )}
        {(question === 'validated' || question === 'rejected') && (
          <DecisionDialog
            application={application}
            decision={question}
            items={[row]}
            decide={actions.decide}
            onClose={close}
            onDone={(results) => {
              close()
              if (results[0]?.kind === 'done') toast(t(`approvals.done.${question}`))
              onDecided(results)
            }}
          />
        )}
      </Suspense>
    </>
  )
}
