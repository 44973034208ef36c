import { type FormEvent, useState } from 'react'
import { NoteField } from '#components/decision/decision-note.tsx'
import { type Intent, sumsText } from '#components/decision/decision-text.tsx'
import { Button, NotAllowed } from '#components/ui/button.tsx'
import { Card } from '#components/ui/display/card.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { TextField } from '#components/ui/field.tsx'
import { useIsOnline } from '#components/ui/online.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import type { BatchApproval, BatchDifference } from '#lib/approvals/batch-approval.ts'
import type { MessageKey } from '#lib/i18n/translate.ts'
import { formatMinor, parseAmountMinor } from '#lib/money/money.ts'
import { paths } from '#lib/pages/paths.ts'
import { callAction, refusalText } from '#lib/result.ts'
import { formatCount } from '#lib/text/format.ts'
import type { BatchProps, Exclusions } from './use-batch.ts'

const REFUSALS: Record<string, MessageKey> = {
  not_a_checker: 'approvals.refused.not_a_checker',
  is_maker: 'approvals.refused.is_maker',
  not_waiting: 'approvals.refused.not_waiting',
  expired: 'approvals.refused.expired',
  decided_already: 'approvals.refused.decided_already',
  application_disabled: 'approvals.refused.application_disabled',
  service_disabled: 'approvals.refused.service_disabled',
  submitting: 'batch.refused.submitting',
  nothing_left: 'batch.refused.nothing_left',
  code_required: 'approvals.code.required',
  wrong_code: 'approvals.code.wrong',
  code_throttled: 'approvals.code.throttled',
  second_factor_missing: 'approvals.refused.second_factor_missing',
  not_the_maker: 'approvals.recall.not_the_maker',
  offline: 'approvals.send.notSent',
}

type Props = BatchProps & {
  batch: BatchApproval
  exclusions: Exclusions
  onDone: (text: string) => void
  onChanged: (difference: BatchDifference) => void
}

/** The sums of a batch once the excluded rows are left out. */
function sumsWithout(batch: BatchApproval, exclusions: Exclusions) {
  const left = [...exclusions.excluded.values()]
  return batch.sums.flatMap((sum) => {
    const own = left.filter((row) => row.currency === sum.currency)
    const minor = own.reduce((rest, row) => rest - (parseAmountMinor(row.amount) ?? 0n), parseAmountMinor(sum.amount) ?? 0n)
    return sum.count === own.length ? [] : [{ ...sum, count: sum.count - own.length, amount: formatMinor(minor) }]
  })
}

/** The decision while somebody makes it: what they asked for, what they typed, and what came back. */
function useBatchDecision({ application, batch, exclusions, actions, onDone, onChanged }: Props) {
  const { t } = useTranslations()
  // The decision is about the batch as it was when the dialog opened, even if it changes while somebody writes.
  const [asked, setAsked] = useState<{ intent: Intent; batch: BatchApproval } | null>(null)
  const [note, setNote] = useState('')
  const [code, setCode] = useState('')
  const [isChecked, setIsChecked] = useState(false)
  const [isSending, setIsSending] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const needsCode = asked?.intent === 'validated' && asked.batch.needsCode

  function ask(intent: Intent | null) {
    setAsked(intent && { intent, batch: asked?.batch ?? batch })
    setIsChecked(false)
    setProblem(null)
  }

  async function submit(event: FormEvent) {
    event.preventDefault()
    setIsChecked(true)
    if (!asked || isSending || !navigator.onLine || note.trim() === '' || (needsCode && code.trim() === '')) return
    setIsSending(true)
    setProblem(null)
    const refusal = asked.intent === 'recall' ? await recall() : await decide(asked.intent, asked.batch)
    setIsSending(false)
    // A refused code is used up; the note stays as it is.
    setCode('')
    if (refusal) setProblem(refusalText<string>(t, refusal, REFUSALS))
    else setAsked(null)
  }

  async function recall(): Promise<string | null> {
    const answer = await callAction(() => actions.recall(application, { batchId: batch.batchId, reason: note }))
    if (!answer.ok) return answer.error.code
    onDone(t('batch.done.recalled', { count: answer.value.count }))
    return null
  }

  async function decide(decision: 'validated' | 'rejected', shown: BatchApproval): Promise<string | null> {
    const answer = await callAction(() =>
      actions.decide(application, {
        batchId: shown.batchId,
        decision,
        note,
        hash: shown.hash,
        shownAt: shown.shownAt,
        excluded:
          decision === 'validated' ? [...exclusions.excluded.values()].map(({ transactionId, reason }) => ({ transactionId, reason })) : [],
        ...(code.trim() === '' ? {} : { code }),
      }),
    )
    if (!answer.ok) return answer.error.code
    const { value } = answer
    if (value.kind === 'changed') onChanged(value.difference)
    else if (value.waiting > 0) onDone(t('batch.done.counted', { given: value.given, needed: value.needed }))
    else if (decision === 'rejected') onDone(t('batch.done.rejected', { count: value.rejected }))
    else {
      const excluded = value.rejected > 0 ? [t('batch.done.excluded', { count: value.rejected })] : []
      onDone([t('batch.done.validated', { count: value.approved }), ...excluded].join(', '))
    }
    return null
  }

  return { asked, ask, note, setNote, code, setCode, needsCode, isChecked, isSending, problem, submit }
}

/** The decision about a whole batch: a note, a code where it needs one, and buttons that say what they send. */
export function BatchDecision(props: Props) {
  const { application, batch, exclusions } = props
  const { t, locale } = useTranslations()
  const { asked, problem, ...form } = useBatchDecision(props)
  const count = batch.count - exclusions.excluded.size

  /** The label of the button that sends the decision. */
  function label(intent: Intent): string {
    if (intent === 'validated')
      return `${t('approvals.validate')} ${formatCount(count, locale)} · ${sumsText(sumsWithout(batch, exclusions), locale)}`
    return `${t(intent === 'recall' ? 'batch.recall' : 'batch.rejectAll')} (${formatCount(batch.count, locale)})`
  }

  return (
    <Card className="grid gap-3">
      <h2>{t('batch.decision')}</h2>
      {problem && <Notice tone="bad">{problem}</Notice>}
      {exclusions.excluded.size > 0 && (
        <p className="text-second text-ink-2">{t('batch.excludedCount', { count: exclusions.excluded.size })}</p>
      )}
      {!asked ? (
        <BatchButtons application={application} batch={batch} count={count} onAsk={form.ask} />
      ) : (
        <DecisionForm
          intent={asked.intent}
          label={label(asked.intent)}
          needsCode={form.needsCode}
          isChecked={form.isChecked}
          isSending={form.isSending}
          note={form.note}
          code={form.code}
          onNote={form.setNote}
          onCode={form.setCode}
          onSubmit={(event) => void form.submit(event)}
          onBack={() => form.ask(null)}
        />
      )}
    </Card>
  )
}

type FormProps = {
  intent: Intent
  label: string
  needsCode: boolean
  /** The form was sent once: what is missing is said. */
  isChecked: boolean
  isSending: boolean
  note: string
  code: string
  onNote: (note: string) => void
  onCode: (code: string) => void
  onSubmit: (event: FormEvent) => void
  onBack: () => void
}

function DecisionForm({ intent, label, needsCode, isChecked, isSending, note, code, onNote, onCode, onSubmit, onBack }: FormProps) {
  const { t } = useTranslations()
  const isOnline = useIsOnline()
  return (
    <form noValidate onSubmit={onSubmit} className="grid gap-2.5">
      {!isOnline && <Notice tone="wait">{t('approvals.send.offline')}</Notice>}
      <NoteField
        intent={intent}
        note={note}
        error={isChecked && note.trim() === '' ? t('form.field.required') : undefined}
        onChange={onNote}
        onDraft={() => undefined}
      />
      {needsCode && (
        <TextField
          id="field-code"
          name="code"
          value={code}
          onChange={(event) => onCode(event.target.value)}
          error={isChecked && code.trim() === '' ? t('form.field.required') : undefined}
          label={t('approvals.code.label')}
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={7}
          className="max-w-36 tabular"
        />
      )}
      <Button
        type="submit"
        variant={intent === 'validated' ? 'primary' : 'danger'}
        isBusy={isSending}
        disabled={!isOnline}
        className="h-auto! min-h-8 py-1 whitespace-normal!"
      >
        {label}
      </Button>
      <Button disabled={isSending} onClick={onBack}>
        {t('approvals.back')}
      </Button>
    </form>
  )
}

type ButtonsProps = { application: string; batch: BatchApproval; count: number; onAsk: (intent: Intent) => void }

/** The decisions that this person may take, or the reason in words. */
function BatchButtons({ application, batch, count, onAsk }: ButtonsProps) {
  const { t } = useTranslations()
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
