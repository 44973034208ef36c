'use client'

import { TimeText } from '#components/domain/time-text.tsx'
import { useT } from '#components/ui/translations.tsx'
import { deciderText } from '#lib/decider.ts'
import type { TransactionDetailDto } from '#lib/transaction-detail.ts'
import { type TimelineItem, timelineOf } from '#lib/transaction-timeline.ts'
import { ENTRY_DOTS, type EntryTone } from './entry-line.tsx'
import { toneOf } from './operator-calls.tsx'
import { Section } from './section.tsx'
import { useActorName } from './use-actor-name.ts'
import { useWebhookWords } from './use-webhook-words.ts'

/** All events in order of time: transitions, decisions, operator calls, webhooks. */
export function Timeline({ detail }: { detail: TransactionDetailDto }) {
  const t = useT()
  const linesOf = useLines()
  return (
    <Section title={t('transaction.timeline')}>
      <ol className="relative ml-[5px] grid gap-3 border-l border-line">
        {timelineOf(detail).map((item) => {
          const { title, second, tone } = linesOf(item)
          return (
            <li key={item.key} className="relative pl-4">
              <span aria-hidden="true" className={`absolute top-[6px] -left-[4.5px] size-2 rounded-full ${ENTRY_DOTS[tone]}`} />
              <p className="flex flex-wrap justify-between gap-x-3">
                <span dir="auto" className="min-w-0 font-medium">
                  {title}
                </span>
                <TimeText at={item.at} style="full" className="text-second text-quiet" />
              </p>
              {second && (
                <p dir="auto" className="text-left text-second break-words text-quiet">
                  {second}
                </p>
              )}
            </li>
          )
        })}
      </ol>
    </Section>
  )
}

function useLines(): (item: TimelineItem) => { title: string; second: string | null; tone: EntryTone } {
  const t = useT()
  const nameOf = useActorName()
  const webhookWords = useWebhookWords()
  return (item) => {
    switch (item.kind) {
      case 'event': {
        const { event, to, actor, reason } = item.event
        const tone: EntryTone = to === 'SUCCESS' ? 'ok' : to === 'FAILED' ? 'bad' : to === 'PENDING_APPROVAL' ? 'wait' : 'run'
        return {
          title: t(to === 'PENDING_APPROVAL' ? 'transaction.created_waiting' : `transaction.event.${event}`),
          second: reason ? `${nameOf(actor)} · ${t('transaction.quoted', { text: reason })}` : nameOf(actor),
          tone,
        }
      }
      case 'decision': {
        const { decision, note, step } = item.decision
        return {
          title: `${deciderText(t, item.decision)} ${t(`transaction.decision.${decision}`)}`,
          second: `${t('transaction.step', { step })} · ${t('transaction.quoted', { text: note })}`,
          tone: decision === 'validated' ? 'ok' : 'bad',
        }
      }
      case 'operator': {
        const { kind, outcome, durationMs, httpStatus } = item.attempt
        const facts = [
          outcome === null ? t('transaction.awaiting') : t(`transaction.outcome.${outcome}`),
          httpStatus === null ? null : t('transaction.httpStatus', { status: String(httpStatus) }),
          durationMs === null || kind === 'callback' ? null : t('transaction.milliseconds', { count: durationMs }),
        ]
        return {
          title: t(`transaction.call.${kind}`),
          second: facts.filter((fact) => fact !== null).join(' · '),
          tone: toneOf(outcome),
        }
      }
      case 'repeated':
        return { title: t('transaction.askedMore', { count: item.count }), second: t('transaction.askedMoreText'), tone: 'run' }
      case 'webhook':
        return {
          title:
            item.attempt.origin === 'person'
              ? t('transaction.webhookResent', { name: item.attempt.requestedBy ?? t('transaction.actor.person') })
              : t('transaction.webhookAttempt', { number: item.attempt.number }),
          second: webhookWords(item.attempt),
          tone: item.attempt.outcome === 'delivered' ? 'ok' : 'wait',
        }
    }
  }
}
