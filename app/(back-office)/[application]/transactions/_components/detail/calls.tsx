import { useEffect, useEffectEvent, useState } from 'react'
import { RelativeTime, TimeText } from '#components/domain/time-text.tsx'
import { useAction } from '#components/form/use-action.tsx'
import { Button, NotAllowed } from '#components/ui/button.tsx'
import { Icon } from '#components/ui/display/icon.tsx'
import { announce } from '#components/ui/overlay/toast.tsx'
import { useT } from '#components/ui/translations.tsx'
import { queries } from '#lib/pages/queries.ts'
import type { TransactionDetailDto, WebhookAttemptDto, WebhookDto } from '#lib/payments/transactions/transaction-dto.ts'
import { RESEND_REFUSALS } from '#lib/webhooks/webhook-portal.ts'
import { resend } from '../../actions.ts'
import { EntryLine, OperatorCalls, Section, useWebhookWords } from './timeline.tsx'

type CallsProps = { application: string; detail: TransactionDetailDto; canResend: boolean }

/** Every call to and from the operator, and every webhook attempt. */
export function Calls({ application, detail, canResend }: CallsProps) {
  const { attempts, webhook, removedBefore, transactionId } = detail
  return (
    <>
      {attempts.length > 0 && <OperatorCalls attempts={attempts} />}
      {removedBefore.calls && <Removed of="operatorCalls" before={removedBefore.calls} isAll={attempts.length === 0} />}
      {webhook && <WebhookSection application={application} transactionId={transactionId} webhook={webhook} canResend={canResend} />}
      {removedBefore.webhook && <Removed of="webhook" before={removedBefore.webhook} isAll={!webhook} />}
    </>
  )
}

/** Says that older rows were removed, as opposed to that there were none. */
function Removed({ of, before, isAll }: { of: 'operatorCalls' | 'webhook'; before: string; isAll: boolean }) {
  const t = useT()
  const words = (
    <p className="text-ink-2">
      {t(`transaction.removed.${of}`)} <TimeText at={before} style="full" />.
    </p>
  )
  return isAll ? <Section title={t(`transaction.${of}`)}>{words}</Section> : words
}

/** An attempt that began this much after it was due is marked: its receiver let others time out first. */
const LATE_MS = 10_000

type WebhookSectionProps = { application: string; transactionId: string; webhook: WebhookDto; canResend: boolean }

/** The state of the webhook, every attempt of the schedule and of people, and the button that resends it. */
function WebhookSection({ application, transactionId, webhook, canResend }: WebhookSectionProps) {
  const t = useT()
  const { waitingResend } = webhook
  return (
    <Section title={t('transaction.webhook')}>
      <p className="text-ink-2">
        {webhook.isLate ? t('transaction.webhookLate') : t(`transaction.webhookState.${webhook.state}`)}{' '}
        {webhook.nextAt && <RelativeTime at={webhook.nextAt} />}
      </p>
      <ResendButton application={application} transactionId={transactionId} webhook={webhook} canResend={canResend} />
      <ol aria-label={t('transaction.webhookAttempts')}>
        {webhook.attempts.map((attempt) => (
          <WebhookAttempt key={attempt.number} attempt={attempt} />
        ))}
        {waitingResend && (
          <EntryLine
            tone="run"
            title={<bdi>{t('transaction.resentBy', { name: waitingResend.requestedBy ?? t('transaction.actor.person') })}</bdi>}
            facts={[t('transaction.resendWaiting')]}
            time={<TimeText at={waitingResend.requestedAt} style="full" />}
          />
        )}
      </ol>
    </Section>
  )
}

function WebhookAttempt({ attempt }: { attempt: WebhookAttemptDto }) {
  const t = useT()
  const wordsOf = useWebhookWords()
  const { origin, requestedBy, outcome, httpStatus, durationMs, detail, waitedMs } = attempt
  return (
    <EntryLine
      tone={outcome === 'delivered' ? 'ok' : 'wait'}
      title={
        origin === 'person' ? (
          <bdi>{t('transaction.resentBy', { name: requestedBy ?? t('transaction.actor.person') })}</bdi>
        ) : (
          t('transaction.automaticAttempt')
        )
      }
      facts={[
        httpStatus === null ? null : t('transaction.httpStatus', { status: String(httpStatus) }),
        t('transaction.milliseconds', { count: durationMs }),
      ]}
      time={<TimeText at={attempt.startedAt} style="full" />}
    >
      <p>{wordsOf(attempt)}</p>
      {waitedMs !== null && waitedMs > LATE_MS && <p>{t('transaction.webhookWaited', { count: Math.round(waitedMs / 1_000) })}</p>}
      {detail && <p className="wrap-anywhere text-quiet">{detail}</p>}
    </EntryLine>
  )
}

const MINUTE_MS = 60_000

type ResendButtonProps = { application: string; transactionId: string; webhook: WebhookDto; canResend: boolean }

/** Requests one more delivery, and shows its result once the receiver has answered. Says why where it is not possible. */
function ResendButton({ application, transactionId, webhook, canResend }: ResendButtonProps) {
  const t = useT()
  /** How many attempts there were when this person requested one. */
  const [requestedAfter, setRequestedAfter] = useState<number | null>(null)
  const result = useResult(webhook, requestedAfter)
  const { run, isPending, error } = useAction(() => resend(application, { transactionId }), {
    words: RESEND_REFUSALS,
    invalidates: [queries.transaction(application, transactionId).queryKey],
    onDone: () => setRequestedAfter(webhook.attempts.length),
  })
  if (!canResend) return <NotAllowed reason={t('transaction.resendNotPermitted')} />
  const obstacle = webhook.resendObstacle
  const reason =
    obstacle && t(`transaction.resendObstacle.${obstacle.code}`, { count: Math.ceil((obstacle.retryAfterMs ?? 0) / MINUTE_MS) })
  return (
    <div className="no-print flex flex-wrap items-center gap-x-3 gap-y-1 py-2">
      <Button size="small" isBusy={isPending} disabled={obstacle !== null} onClick={() => run()}>
        <Icon name="refresh" className="size-3.5" />
        {t(isPending ? 'transaction.resending' : 'transaction.resend')}
      </Button>
      <p role="status" className="text-second text-ink-2">
        {error ?? reason ?? result}
      </p>
    </div>
  )
}

/** The result of the attempt that this person requested; announced, because the list that shows it may be out of view. */
function useResult({ attempts }: WebhookDto, requestedAfter: number | null): string | null {
  const wordsOf = useWebhookWords()
  const mine = requestedAfter === null ? undefined : attempts.slice(requestedAfter).findLast((attempt) => attempt.origin === 'person')
  const words = mine ? wordsOf(mine) : null
  const say = useEffectEvent(announce)
  useEffect(() => {
    if (words) say(words)
  }, [words])
  return words
}
