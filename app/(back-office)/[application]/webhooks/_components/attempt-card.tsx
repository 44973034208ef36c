import { TimeText } from '#components/domain/time-text.tsx'
import { Badge } from '#components/ui/display/badge.tsx'
import type { Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { formatAmount } from '#lib/text/format.ts'
import { type DiagnosedAttempt, diagnoseWebhook } from '#lib/webhooks/webhook-portal.ts'
import type { WebhookHistory } from '#server/webhooks/history.ts'
import { CodeBlock } from '../../_components/code-block.tsx'

/** Attempts that began this much after they were due were held back by the receiver's own queue. */
const LATE_MS = 10_000

/** One attempt: diagnosis, times, and how the answer began. */
export function AttemptCard({ t, locale, attempt }: { t: Translate; locale: Locale; attempt: WebhookHistory['attempts'][number] }) {
  const { number, origin, requestedBy, startedAt, durationMs, firstByteMs, httpStatus, waitedMs, detail, responseStart, outcome } = attempt
  const facts = [
    httpStatus === null ? null : `HTTP ${httpStatus}`,
    firstByteMs === null ? null : t('webhooks.firstByte', { count: firstByteMs }),
    t('webhooks.total', { count: durationMs }),
    waitedMs !== null && waitedMs > LATE_MS ? t('webhooks.waited', { count: Math.round(waitedMs / 1_000) }) : null,
  ].filter((fact) => fact !== null)
  return (
    <li className="rounded-lg border border-line bg-surface p-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Badge tone={outcome === 'delivered' ? 'ok' : 'wait'} hasDot>
          {t(outcome === 'delivered' ? 'webhooks.stateIs.delivered' : `webhooks.outcome.${outcome}`)}
        </Badge>
        <span className="text-second text-quiet">
          {origin === 'person' ? t('webhooks.byPerson', { name: requestedBy ?? '' }) : t('webhooks.automatic', { number })} ·{' '}
          <TimeText at={startedAt.toISOString()} style="full" />
        </span>
      </div>
      <p className="mt-2">{diagnosisText(t, locale, attempt)}</p>
      <p className="mt-1 text-second text-ink-2 tabular">{facts.join(' · ')}</p>
      {detail && (
        <p className="mt-1 text-second text-quiet wrap-anywhere" lang="en">
          {detail}
        </p>
      )}
      {responseStart && (
        <div className="mt-2">
          <p className="mb-1 text-second text-quiet">{t('webhooks.responseStart')}</p>
          <CodeBlock label={t('webhooks.responseOf', { number })} text={responseStart} />
        </div>
      )}
    </li>
  )
}

/** The diagnosis of an attempt in the reader's language. */
export function diagnosisText(t: Translate, locale: Locale, attempt: DiagnosedAttempt): string {
  const { key, values } = diagnoseWebhook(attempt, (ms) => formatAmount((ms / 1_000).toFixed(1), locale))
  return t(key, values)
}
