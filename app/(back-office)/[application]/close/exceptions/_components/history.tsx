import { TimeText } from '#components/domain/time-text.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import type { ExceptionEventDto } from '#lib/reconciliation/exceptions.ts'

/** The texts of a history, for pages that show one beside something else. */
export const HISTORY_WORDS = [
  'exceptions.event.',
  'exceptions.outcome.',
  'exceptions.history',
  'exceptions.byService',
  'close.class.',
] as const

/** Everything that happened to an exception, in order. */
export function History({ t, events }: { t: Translate; events: readonly ExceptionEventDto[] }) {
  return (
    <section aria-labelledby="history">
      <h2 id="history">{t('exceptions.history')}</h2>
      <ol className="mt-2 rounded-lg border border-line bg-surface">
        {events.map((event) => (
          <li key={`${event.at} ${event.event}`} className="border-b border-line px-3 py-2 last:border-b-0">
            <span className="flex flex-wrap justify-between gap-x-4">
              <span>{wordsOf(t, event)}</span>
              <span className="text-second text-quiet">
                <bdi>{event.person ?? t('exceptions.byService')}</bdi> · <TimeText at={event.at} />
              </span>
            </span>
            {event.note !== '' && (
              <p dir="auto" className="wrap-anywhere whitespace-pre-line text-ink-2">
                {event.note}
              </p>
            )}
          </li>
        ))}
      </ol>
    </section>
  )
}

function wordsOf(t: Translate, { event, class: name, owner, outcome }: ExceptionEventDto): string {
  return t(`exceptions.event.${event}`, {
    class: t(`close.class.${name}`),
    owner: owner ?? '',
    outcome: outcome === null ? '' : t(`exceptions.outcome.${outcome}`),
  })
}
