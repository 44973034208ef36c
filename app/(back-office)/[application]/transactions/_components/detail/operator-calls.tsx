'use client'

import { useState } from 'react'
import { TimeText } from '#components/domain/time-text.tsx'
import { Button } from '#components/ui/button.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { OperatorAttemptDto, TransactionDetailDto } from '#lib/transaction-detail.ts'
import { EntryLine, type EntryTone } from './entry-line.tsx'
import { Section } from './section.tsx'

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
export function toneOf(outcome: OperatorAttemptDto['outcome']): EntryTone {
  if (outcome === 'succeeded') return 'ok'
  if (outcome === 'failed') return 'bad'
  return outcome === 'accepted' || outcome === 'pending' ? 'run' : 'wait'
}
