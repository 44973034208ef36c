import { useEffect } from 'react'
import { Money } from '#components/domain/money.tsx'
import { RelativeTime, TimeText } from '#components/domain/time-text.tsx'
import { useAction } from '#components/form/use-action.tsx'
import { Button } from '#components/ui/button.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { Icon } from '#components/ui/display/icon.tsx'
import { announce } from '#components/ui/overlay/toast.tsx'
import { useT, useTranslations } from '#components/ui/translations.tsx'
import type { Currency } from '#lib/money/money.ts'
import type { ReversalDto } from '#lib/operators/reversals.ts'
import { queryKeys } from '#lib/pages/queries.ts'
import { type FailureCase, failureCaseOf } from '#lib/payments/failure-case.ts'
import type { ContradictionDto, OperatorWorkDto, TransactionDetailDto } from '#lib/payments/transactions/transaction-dto.ts'
import { synchronise } from '../../actions.ts'

/** The meaning of the status and the next step. */
export function StateAdvice({ detail }: { detail: TransactionDetailDto }) {
  const isUndelivered = detail.webhook?.state === 'exhausted'
  return (
    <div className="grid gap-2 empty:hidden">
      {detail.status === 'FAILED' && <FailureAdvice detail={detail} />}
      {detail.contradiction && <ContradictionAdvice contradiction={detail.contradiction} />}
      {detail.reversal && <ReversalAdvice reversal={detail.reversal} />}
      {detail.sharedReferenceAt && <SharedReferenceAdvice />}
      {detail.status === 'PENDING' && detail.work && <PendingAdvice work={detail.work} currency={detail.currency} />}
      {isUndelivered && <UndeliveredAdvice />}
    </div>
  )
}

/** How far the reversal at the operator is. */
function ReversalAdvice({ reversal: { state, at, waitsForPeople, refusal, reason } }: { reversal: ReversalDto }) {
  const t = useT()
  const name = waitsForPeople ? 'waits' : state
  const means = refusal ? t(`transaction.reversal.refusal.${refusal}`, { reason }) : ''
  return (
    <div className={`grid gap-1 rounded-md px-3 py-2 ${name === 'done' || name === 'asked' ? 'bg-run-soft' : 'bg-wait-soft'}`}>
      <p className="font-strong">
        {t(`transaction.reversal.${name}`)} · <TimeText at={at} style="full" />
      </p>
      <p className="wrap-anywhere">{name === 'refused' ? means : t(`transaction.reversal.${name}Means`)}</p>
    </div>
  )
}

/** Where the message says it in somebody's own words, and not in one of the operator's fixed sentences. */
const OWN_WORDS: readonly FailureCase[] = ['rejected', 'recalled', 'other']

/** The cause, the message unchanged, and the next step. Messages are in French, so people first read the cause in their language. */
function FailureAdvice({ detail }: { detail: TransactionDetailDto }) {
  const { t } = useTranslations()
  const failure = failureCaseOf(detail)
  const isOwn = OWN_WORDS.includes(failure)
  const message = detail.message && (
    <p lang="fr" className={isOwn ? 'font-strong wrap-anywhere text-bad' : 'text-second wrap-anywhere text-bad'}>
      {detail.message}
    </p>
  )
  return (
    <div className="grid gap-1 rounded-md bg-bad-soft px-3 py-2">
      {isOwn && message}
      <p className={isOwn ? '' : 'font-strong text-bad'}>{t(`transaction.failure.${failure}.means`)}</p>
      {!isOwn && message}
      <p>
        <strong>{t('transaction.nextStep')}</strong> {t(`transaction.failure.${failure}.next`)}
      </p>
    </div>
  )
}

/** The state of a pending transaction; unconfirmed ones are queried until the operator answers. */
function PendingAdvice({ work, currency }: { work: OperatorWorkDto; currency: Currency }) {
  const t = useT()
  return (
    <div className={`grid gap-1 rounded-md px-3 py-2 ${work.unconfirmedSince ? 'bg-wait-soft' : 'bg-run-soft'}`}>
      {work.unconfirmedSince ? (
        <>
          <p className="font-strong text-wait">
            {t('transaction.unconfirmedSince')} <TimeText at={work.unconfirmedSince} style="full" />
          </p>
          <p>{t(work.isDenied ? 'transaction.deniedMeans' : 'transaction.unconfirmedMeans')}</p>
        </>
      ) : (
        <p>{t(work.waitsForFloat ? 'transaction.work.float' : `transaction.work.${work.state}`)}</p>
      )}
      {work.missing !== null && (
        <p>
          <strong>{t('transaction.work.missing')}</strong> <Money amount={work.missing} currency={currency} />
        </p>
      )}
      {work.state !== 'awaiting_code' && !work.waitsForFloat && (
        <p>
          {t('transaction.nextQuery', { count: work.queries })} <RelativeTime at={work.nextAt} />
        </p>
      )}
      {work.lastAnswer && (
        <p className="text-second">
          {t('transaction.lastAnswer')}{' '}
          <code lang="fr" className="break-all">
            {work.lastAnswer}
          </code>
        </p>
      )}
    </div>
  )
}

/** The operator reports a different result. The stored result does not change; people clarify it with the operator. */
function ContradictionAdvice({ contradiction }: { contradiction: ContradictionDto }) {
  const t = useT()
  const { said, state, at, isHint } = contradiction
  const result = said === 'succeeded' ? 'succeeded' : 'failed'
  return (
    <Notice tone={state === 'confirmed' ? 'neutral' : 'bad'}>
      {t(`transaction.${isHint ? 'hinted' : 'contradicted'}.${result}`)} <TimeText at={at} style="full" />
      {'. '}
      {t(`transaction.contradiction.${state}`)}
    </Notice>
  )
}

/** The operator named two transactions the same: one of them may never have been executed. People clarify it with the operator. */
function SharedReferenceAdvice() {
  const t = useT()
  return <Notice tone="bad">{t('transaction.sharedReference')}</Notice>
}

function UndeliveredAdvice() {
  const t = useT()
  return <Notice tone="wait">{t('transaction.webhookExhausted')}</Notice>
}

const REFUSALS = {
  operator_unavailable: 'transaction.synchronised.unavailable',
  busy: 'transaction.synchronised.busy',
  throttled: 'transaction.synchronised.busy',
} as const

/** Queries the operator now (chekTransactionStatus) and shows the answer. */
export function SynchroniseButton({ application, transactionId }: { application: string; transactionId: string }) {
  const t = useT()
  const { run, isPending, error, value } = useAction(() => synchronise(application, { transactionId }), {
    words: REFUSALS,
    invalidates: [queryKeys.transactions(application)],
  })
  const answer = value ? t(`transaction.synchronised.${value.status}`) : error
  useEffect(() => {
    if (answer) announce(answer)
  }, [answer])
  return (
    <div className="grid gap-2">
      <span>
        <Button variant="primary" isBusy={isPending} onClick={() => run()}>
          <Icon name="refresh" className="size-3.5" />
          {t(isPending ? 'transaction.synchronising' : 'transaction.synchronise')}
        </Button>
      </span>
      {answer && <p className="text-ink-2">{answer}</p>}
    </div>
  )
}
