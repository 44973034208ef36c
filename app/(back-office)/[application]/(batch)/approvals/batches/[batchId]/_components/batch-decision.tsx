import { DECISION_REFUSALS, DecisionForm } from '#components/decision/decision-form.tsx'
import { rememberNote, useKeptNote } from '#components/decision/decision-note.tsx'
import { type Intent, sumsText } from '#components/decision/decision-text.tsx'
import { UndoLine } from '#components/decision/undo-line.tsx'
import { isWaiting, useIntended } from '#components/decision/use-intended.ts'
import { useAction } from '#components/form/use-action.tsx'
import { Button, NotAllowed } from '#components/ui/button.tsx'
import { Card } from '#components/ui/display/card.tsx'
import { useT, useTranslations } from '#components/ui/translations.tsx'
import type { RecallObstacle } from '#lib/approvals/approvals.ts'
import type { BatchApproval, BatchDecisionRefusal, BatchDecisionResult, BatchDifference } from '#lib/approvals/batch-approval.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/pages/paths.ts'
import type { ProofAnswer } from '#lib/people/passkeys.ts'
import type { ActionResult } from '#lib/result.ts'
import { formatCount } from '#lib/text/format.ts'
import { type BatchProps, type Exclusions, sumsWithout } from './use-batch.ts'

const REFUSALS = {
  ...DECISION_REFUSALS,
  not_a_checker: 'approvals.refused.not_a_checker',
  is_maker: 'approvals.refused.is_maker',
  has_password: 'approvals.refused.has_password',
  not_waiting: 'approvals.refused.not_waiting',
  expired: 'approvals.refused.expired',
  decided_already: 'approvals.refused.decided_already',
  deputy_may_not: 'approvals.refused.deputy_may_not',
  application_disabled: 'approvals.refused.application_disabled',
  service_disabled: 'approvals.refused.service_disabled',
  submitting: 'batch.refused.submitting',
  nothing_left: 'batch.refused.nothing_left',
  intended_already: 'approvals.refused.intended_already',
  not_the_maker: 'approvals.recall.not_the_maker',
} as const

/** The decision that somebody has opened, and the batch as it was shown then. */
export type Asked = { intent: Intent; batch: BatchApproval }

type Props = BatchProps & {
  batch: BatchApproval
  exclusions: Exclusions
  asked: Asked | null
  /** No row waits any longer: somebody else decided, or the maker recalled the batch, while this person had the form open. */
  ended: boolean
  onAsk: (asked: Asked | null) => void
  /** Null: it can still be undone, which the frame says. */
  onDone: (text: string | null) => void
  onChanged: (difference: BatchDifference) => void
}

/** The decision about a whole batch: a note, a code where it needs one, and buttons that say what they send. */
export function BatchDecision(props: Props) {
  const { application, batch, exclusions, asked, onAsk } = props
  const t = useT()
  const left = exclusions.excluded.size
  const { intended, readAtMs } = useIntended(application, batch.canReject === true)
  const own = intended.find((one) => isWaiting(one) && one.batch?.batchId === batch.batchId)
  return (
    <Card className="grid gap-3">
      <h2>{t('batch.decision')}</h2>
      {left > 0 && <p className="text-second text-ink-2">{t('batch.excludedCount', { count: left })}</p>}
      {own ? (
        <UndoLine intention={own} readAtMs={readAtMs} />
      ) : asked ? (
        <AskedDecision {...props} batch={asked.batch} intent={asked.intent} onClose={() => onAsk(null)} />
      ) : (
        <BatchButtons application={application} batch={batch} count={batch.count - left} onAsk={(intent) => onAsk({ intent, batch })} />
      )}
    </Card>
  )
}

type Decided = BatchDecisionResult | { kind: 'recalled'; count: number }
type Refused = BatchDecisionRefusal | RecallObstacle | 'submitting'

function AskedDecision(props: Props & { intent: Intent; onClose: () => void }) {
  const { application, batch, intent, exclusions, actions, ended, onDone, onChanged, onClose } = props
  const { t, locale } = useTranslations()
  const { batchId, hash, shownAt } = batch
  const isValidation = intent === 'validated'
  const excluded = isValidation ? [...exclusions.excluded.values()] : []
  const kept = useKeptNote(batchId, intent)
  const action = useAction(
    async (note: string, proof: ProofAnswer | null): Promise<ActionResult<Decided, Refused>> => {
      if (intent !== 'recall') {
        const leftOut = excluded.map(({ transactionId, reason }) => ({ transactionId, reason }))
        const input = { batchId, decision: intent, note, hash, shownAt, excluded: leftOut }
        return actions.decide(application, { ...input, ...(proof && { proof }) })
      }
      const recalled = await actions.recall(application, { batchId, reason: note })
      return recalled.ok ? { ok: true, value: { kind: 'recalled', ...recalled.value } } : recalled
    },
    {
      words: REFUSALS,
      onDone(decided, [note]) {
        rememberNote(intent, note)
        kept.forget()
        onClose()
        if (decided.kind === 'changed') onChanged(decided.difference)
        else onDone(decided.kind === 'intended' ? null : doneText(t, intent, decided))
      },
    },
  )
  const count = formatCount(batch.count - excluded.length, locale)
  return (
    <DecisionForm
      intent={intent}
      action={action}
      kept={kept}
      subject={[hash, ...excluded.map(({ transactionId }) => transactionId)].join()}
      ended={ended ? t('batch.endedNotSent') : null}
      askedAt={1}
      verb={t(isValidation ? 'approvals.validate' : intent === 'recall' ? 'batch.recall' : 'batch.rejectAll')}
      amount={isValidation ? `${count} · ${sumsText(sumsWithout(batch, exclusions), locale)}` : `(${count})`}
      codeCount={isValidation && batch.needsCode ? batch.count - excluded.length : 0}
      onIntent={onClose}
    />
  )
}

function doneText(t: Translate, intent: Intent, decided: Exclude<Decided, { kind: 'changed' | 'intended' }>): string {
  if (decided.kind === 'recalled') return t('batch.done.recalled', { count: decided.count })
  if (decided.waiting > 0) return t('batch.done.counted', { given: decided.given, needed: decided.needed })
  if (intent === 'rejected') return t('batch.done.rejected', { count: decided.rejected })
  const excluded = decided.rejected > 0 ? [t('batch.done.excluded', { count: decided.rejected })] : []
  return [t('batch.done.validated', { count: decided.approved }), ...excluded].join(', ')
}

type ButtonsProps = { application: string; batch: BatchApproval; count: number; onAsk: (intent: Intent) => void }

/** The decisions that this person may take, or the reason in words. */
function BatchButtons({ application, batch, count, onAsk }: ButtonsProps) {
  const t = useT()
  const { canApprove, canReject, canRecall } = batch
  if (canRecall === true) {
    return (
      <>
        <NotAllowed reason={t('approvals.obstacle.is_maker')} />
        <Button variant="danger" onClick={() => onAsk('recall')}>
          {t('batch.recall')}
        </Button>
      </>
    )
  }
  if (canReject !== true) {
    return <NotAllowed reason={t(canReject === 'submitting' ? 'batch.refused.submitting' : `approvals.obstacle.${canReject}`)} />
  }
  return (
    <>
      {canApprove === 'second_factor_missing' ? (
        <a href={paths.enrol(paths.batchApproval(application, batch.batchId))} className="text-accent underline">
          {t('approvals.obstacle.second_factor_missing')}
        </a>
      ) : canApprove === 'application_disabled' ? (
        <NotAllowed reason={t('approvals.obstacle.application_disabled')} />
      ) : (
        <>
          {canApprove === 'service_disabled' && <NotAllowed reason={t('batch.serviceDisabled')} />}
          <Button variant="primary" disabled={count === 0} onClick={() => onAsk('validated')}>
            {t('approvals.validate')}
          </Button>
        </>
      )}
      <Button variant="danger" onClick={() => onAsk('rejected')}>
        {t('batch.rejectAll')}
      </Button>
    </>
  )
}
