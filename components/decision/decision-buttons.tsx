import { useState } from 'react'
import { Button, type ButtonSize, NotAllowed } from '#components/ui/button.tsx'
import { onDemand } from '#components/ui/overlay/on-demand.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import type { ApprovalRow, DecidedItem, DecisionResult } from '#lib/approvals/approvals.ts'
import { endedBy } from '#lib/approvals/evidence.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/pages/paths.ts'
import { moneyText } from '#lib/text/format.ts'
import type { Report } from './decision-report.tsx'
import { type DecisionActions, doneText, type Intent } from './decision-text.tsx'
import { isWaiting, useIntended } from './use-intended.ts'

type DecisionButtonsProps = {
  application: string
  row: ApprovalRow
  size?: ButtonSize
  /** Validate is the decision at hand, not one of many rows. */
  isPrimary?: boolean
  className?: string
  onAsk: (intent: Intent) => void
}

/** Validate and Reject, or the reason in words in their place; Recall for its maker. Enabled by what the server said of the row. */
export function DecisionButtons({ application, row, size = 'medium', isPrimary = false, className = '', onAsk }: DecisionButtonsProps) {
  const { t, locale } = useTranslations()
  const { intended, readAtMs } = useIntended(application, row.canReject === true)
  const own = intended.find((one) => isWaiting(one) && one.transactionIds.includes(row.transactionId))
  const wide = isPrimary ? 'min-h-8 flex-1' : ''
  // One of many is told from the others by its name; alone on its page the verb is enough.
  const named = { amount: moneyText(row, locale), name: row.customerName }
  if (row.canRecall === true) {
    return (
      <span className={`flex flex-wrap items-center gap-2 ${className}`}>
        <span className="whitespace-nowrap">
          <NotAllowed reason={t('approvals.obstacle.is_maker')} />
        </span>
        <Button
          variant="danger"
          size={size}
          className={wide}
          aria-label={isPrimary ? undefined : t('approvals.recallNamed', named)}
          onClick={() => onAsk('recall')}
        >
          {t('approvals.recall.button')}
        </Button>
      </span>
    )
  }
  if (own) return <UndoLine intention={own} readAtMs={readAtMs} isSmall={size === 'small'} />
  if (row.canReject !== true) return <NotAllowed reason={obstacleText(t, row)} />
  return (
    <span className={`flex flex-wrap items-center gap-2 ${className}`}>
      {row.canApprove === true ? (
        <Button
          size={size}
          variant={isPrimary ? 'primary' : 'quiet'}
          className={wide}
          aria-label={isPrimary ? undefined : t('approvals.validateNamed', named)}
          onClick={() => onAsk('validated')}
        >
          {t('approvals.validate')}
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
      <Button
        size={size}
        variant="danger"
        className={wide}
        aria-label={isPrimary ? undefined : t('approvals.rejectNamed', named)}
        onClick={() => onAsk('rejected')}
      >
        {t('approvals.reject')}
      </Button>
    </span>
  )
}

/** Why there is no button, in words. */
export function obstacleText(t: Translate, row: ApprovalRow): string {
  if (row.canReject === true) return ''
  // The outcome says more than the reason why this person could not have decided.
  if (row.end) return t(`approvals.endedShort.${row.end.event}`, { name: endedBy(t, row.end) })
  return t(`approvals.obstacle.${row.canReject}`)
}

const UndoLine = onDemand(async () => (await import('./undo-line.tsx')).UndoLine)
const PaymentDecision = onDemand(async () => (await import('./payment-decision.tsx')).PaymentDecision)
const DecisionReport = onDemand(async () => (await import('./decision-report.tsx')).DecisionReport)

type DecisionControlsProps = {
  application: string
  row: ApprovalRow
  actions: DecisionActions
  /** Something was decided or refused: what is shown may be old. */
  onDecided: (results: readonly DecisionResult[]) => void
}

/** The buttons and, once one is pressed, the note in their place: for the page of one transaction. Needs the words under `approvals.`. */
export function DecisionControls({ application, row, actions, onDecided }: DecisionControlsProps) {
  const { t, locale } = useTranslations()
  // The decision is about the row as it was when the form opened, even if it changes while somebody writes.
  const [asked, setAsked] = useState<{ intent: Intent; row: ApprovalRow } | null>(null)
  const [report, setReport] = useState<Report | null>(null)
  if (report) return <DecisionReport report={report} onClose={() => setReport(null)} />
  if (!asked) return <DecisionButtons application={application} row={row} isPrimary onAsk={(intent) => setAsked({ intent, row })} />

  function finish(intent: Intent, results: readonly DecisionResult[], items: readonly DecidedItem[]) {
    const [result, item] = [results[0], items[0]]
    if (result?.kind === 'refused' && intent !== 'recall') setReport({ items, results, decision: intent })
    // The frame shows validations that can be undone.
    else if (item && result?.kind !== 'intended') toast(doneText(t, locale, intent, item, result?.kind === 'done' ? result : undefined))
    setAsked(null)
    onDecided(results)
  }

  return (
    <PaymentDecision
      application={application}
      intent={asked.intent}
      items={[asked.row]}
      actions={actions}
      askedAt={1}
      onIntent={(intent) => setAsked(intent && { ...asked, intent })}
      onDone={(results, items) => finish(asked.intent, results, items)}
    />
  )
}
