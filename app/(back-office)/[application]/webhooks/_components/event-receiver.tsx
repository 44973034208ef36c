import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { TimeText } from '#components/domain/time-text.tsx'
import { Badge } from '#components/ui/display/badge.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import type { NoticeEventDto } from '#lib/webhooks/notice-event.ts'
import { CodeBlock } from '../../_components/code-block.tsx'
import { EventReceiverButton } from './webhook-buttons.tsx'

type Props = { t: Translate; application: string; url: string | null; events: readonly NoticeEventDto[]; mayPropose: boolean }

const EXAMPLE = `{
  "type": "operator_down",
  "timestamp": "2026-11-27T16:00:00.000Z",
  "data": {
    "subjectId": "0d9e…",
    "operator": "MOMOCM",
    "transactionType": "DEPOSIT",
    "url": "https://…"
  }
}`

const TONES = { delivered: 'ok', exhausted: 'bad', due: 'run' } as const

/** Where events of the application are sent, how they look, and what became of the newest ones. */
export function EventReceiver({ t, application, url, events, mayPropose }: Props) {
  return (
    <section aria-labelledby="events" className="mt-8">
      <h2 id="events">{t('webhooks.events')}</h2>
      <p className="max-w-3xl text-ink-2">{t('webhooks.eventsText')}</p>
      <p className="mt-2 wrap-anywhere">{url ?? <span className="text-quiet">{t('webhooks.noEventsUrl')}</span>}</p>
      {mayPropose && (
        <div className="mt-3">
          <EventReceiverButton application={application} url={url} />
        </div>
      )}
      <details className="mt-3 rounded-lg border border-line bg-surface px-4 py-2">
        <summary className="cursor-pointer font-medium">{t('webhooks.eventsExample')}</summary>
        <div className="mt-2 mb-1">
          <CodeBlock label={t('webhooks.eventsExample')} text={EXAMPLE} />
        </div>
      </details>
      {events.length > 0 && (
        <ul aria-label={t('webhooks.eventsSent')} className="mt-3 grid gap-2">
          {events.map((event) => (
            <EventItem key={event.noticeId} t={t} event={event} />
          ))}
        </ul>
      )}
    </section>
  )
}

function EventItem({ t, event }: { t: Translate; event: NoticeEventDto }) {
  const { cause, operator, state, createdAt, url, attempts, outcome, httpStatus } = event
  return (
    <li className="rounded-lg border border-line bg-surface px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Badge tone={TONES[state]} hasDot>
          {t(`webhooks.stateIs.${state}`)}
        </Badge>
        <span>{t(`mails.cause.${cause}`)}</span>
        {operator && <OperatorMark code={operator} />}
      </div>
      <p className="mt-1 text-second text-quiet wrap-anywhere">
        <TimeText at={createdAt} /> · {url}
        {attempts > 0 && ` · ${t('webhooks.attempts', { count: attempts })}`}
        {outcome !== null && outcome !== 'delivered' && ` · ${t(`webhooks.outcome.${outcome}`)}`}
        {outcome === 'bad_status' && httpStatus !== null && ` (${httpStatus})`}
      </p>
    </li>
  )
}
