import { type ReactNode, useState } from 'react'
import { TimeText } from '#components/domain/time-text.tsx'
import { Button } from '#components/ui/button.tsx'
import { Link } from '#components/ui/link.tsx'
import { useT } from '#components/ui/translations.tsx'
import { deciderText } from '#lib/approvals/evidence.ts'
import type { ActorDto, OperatorAttemptDto, TransactionDetailDto, WebhookAttemptDto } from '#lib/payments/transactions/transaction-dto.ts'
import { type TimelineItem, timelineOf } from '#lib/payments/transactions/transaction-timeline.ts'

type TimelineProps = { detail: TransactionDetailDto; callHref?: ((requestId: string) => string) | undefined }

/**
 * All events in order of time: calls of the program, transitions, decisions, operator calls, webhooks. `callHref`: the page of a call, for
 * viewers who may open it.
 */
export function Timeline({ detail, callHref }: TimelineProps) {
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
                  {item.kind === 'api' && callHref ? (
                    <Link href={callHref(item.call.requestId)} className="wrap-anywhere text-accent underline">
                      {title}
                    </Link>
                  ) : (
                    title
                  )}
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
      case 'api': {
        const { method, path, status, durationMs, message } = item.call
        const facts = [t('transaction.httpStatus', { status: String(status) }), t('transaction.milliseconds', { count: durationMs })]
        return {
          title: t('transaction.apiCall', { call: `${method} ${path}` }),
          second: [...facts, message].filter((fact) => fact !== null).join(' · '),
          tone: status < 400 ? 'run' : 'bad',
        }
      }
      case 'repeated':
        if (item.of === 'api') return { title: t('transaction.calledMore', { count: item.count }), second: null, tone: 'run' }
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

/** A transaction that is queried for days has more calls than the rest of the page. Then only the latest are shown at first. */
const CALLS_MAX = 12
const LATEST_CALLS = 10

/** Every call to and from the operator, with its raw answer. */
export function OperatorCalls({ attempts }: { attempts: TransactionDetailDto['attempts'] }) {
  const t = useT()
  const [isAllShown, setIsAllShown] = useState(false)
  const isLong = attempts.length > CALLS_MAX
  const shown = isLong && !isAllShown ? attempts.slice(-LATEST_CALLS) : attempts
  return (
    <Section title={t('transaction.operatorCalls')}>
      <ol aria-label={t('transaction.operatorCalls')}>
        {shown.map((attempt) => (
          <OperatorCall key={attempt.number} attempt={attempt} />
        ))}
      </ol>
      {isLong && (
        <Button size="small" className="no-print mt-2" aria-expanded={isAllShown} onClick={() => setIsAllShown(!isAllShown)}>
          {isAllShown ? t('transaction.latestCalls', { count: LATEST_CALLS }) : t('transaction.allCalls', { count: attempts.length })}
        </Button>
      )}
    </Section>
  )
}

function OperatorCall({ attempt }: { attempt: OperatorAttemptDto }) {
  const t = useT()
  const { kind, outcome, httpStatus, durationMs, answer } = attempt
  return (
    <EntryLine
      tone={toneOf(outcome)}
      title={t(`transaction.call.${kind}`)}
      facts={[
        outcome === null ? t('transaction.awaiting') : t(`transaction.outcome.${outcome}`),
        httpStatus === null ? null : t('transaction.httpStatus', { status: String(httpStatus) }),
        durationMs === null || kind === 'callback' ? null : t('transaction.milliseconds', { count: durationMs }),
      ]}
      time={<TimeText at={attempt.startedAt} style="full" />}
    >
      {answer && (
        <code lang="fr" className="wrap-anywhere">
          {answer}
        </code>
      )}
    </EntryLine>
  )
}

/** The colour of what an operator said. */
function toneOf(outcome: OperatorAttemptDto['outcome']): EntryTone {
  if (outcome === 'succeeded') return 'ok'
  if (outcome === 'failed') return 'bad'
  return outcome === 'accepted' || outcome === 'pending' ? 'run' : 'wait'
}

type EntryTone = 'ok' | 'bad' | 'wait' | 'run'

const ENTRY_DOTS: Record<EntryTone, string> = { ok: 'bg-ok', bad: 'bg-bad', wait: 'bg-wait', run: 'bg-run' }

type Props = {
  tone: EntryTone
  title: ReactNode
  /** Facts after the title, separated by dots: outcome, HTTP status, duration. */
  facts: readonly (string | null)[]
  time: ReactNode
  /** The second line. */
  children?: ReactNode
}

/** One call or attempt: what it was, its outcome and when on the first line, the answer on the second. Wraps instead of being cut off. */
export function EntryLine({ tone, title, facts, time, children }: Props) {
  return (
    <li className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2.5 border-b border-line py-2 last:border-b-0">
      <span aria-hidden="true" className={`mt-[6px] size-2 rounded-full ${ENTRY_DOTS[tone]}`} />
      <p className="flex flex-wrap justify-between gap-x-4">
        <span className="min-w-0 wrap-break-word">
          <span className="font-medium">{title}</span>
          <span className="text-ink-2">
            {facts
              .filter((fact) => fact !== null)
              .map((fact) => ` · ${fact}`)
              .join('')}
          </span>
        </span>
        <span className="text-second text-quiet">{time}</span>
      </p>
      {children && <div className="col-start-2 text-second text-ink-2">{children}</div>}
    </li>
  )
}

/** A part of a transaction's page under its heading. */
export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="min-w-0 border-t border-line pt-3">
      <h2 className="pb-2">{title}</h2>
      {children}
    </section>
  )
}

/** Returns the name of an actor, or its kind if it has no name. */
export function useActorName(): (actor: ActorDto) => string {
  const t = useT()
  return (actor) => actor.name ?? t(`transaction.actor.${actor.kind}`)
}

/** Returns the outcome of a webhook attempt in words for the people who run the receiver. */
export function useWebhookWords(): (attempt: Pick<WebhookAttemptDto, 'outcome' | 'httpStatus'>) => string {
  const t = useT()
  return ({ outcome, httpStatus }) => t(`transaction.webhookOutcome.${outcome}`, { status: String(httpStatus ?? '') })
}
