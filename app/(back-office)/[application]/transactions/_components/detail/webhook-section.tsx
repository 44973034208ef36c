'use client'

import { RelativeTime, TimeText } from '#components/domain/time-text.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { WebhookAttemptDto, WebhookDto } from '#lib/transaction-detail.ts'
import { EntryLine } from './entry-line.tsx'
import { ResendButton } from './resend-button.tsx'
import { Section } from './section.tsx'
import { useWebhookWords } from './use-webhook-words.ts'

/** An attempt that began this much after it was due is marked: its receiver let others time out first. */
const LATE_MS = 10_000

type WebhookSectionProps = { application: string; transactionId: string; webhook: WebhookDto; canResend: boolean }

/** The state of the webhook, every attempt of the schedule and of people, and the button that resends it. */
export function WebhookSection({ application, transactionId, webhook, canResend }: WebhookSectionProps) {
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
