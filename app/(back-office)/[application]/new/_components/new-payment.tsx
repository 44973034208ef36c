'use client'

import { useEffect, useState } from 'react'
import { Attachment } from '#components/domain/attachment.tsx'
import { Money } from '#components/domain/money.tsx'
import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { Customer, StatusBadge, TypeWord } from '#components/domain/payment.tsx'
import { ErrorNotice } from '#components/form/error-notice.tsx'
import { useAction } from '#components/form/use-action.tsx'
import { RefreshNotice } from '#components/table/refresh-notice.tsx'
import { Button, ButtonLink } from '#components/ui/button.tsx'
import { Card } from '#components/ui/display/card.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { PageHeader, Skeleton } from '#components/ui/display/page.tsx'
import { Link } from '#components/ui/link.tsx'
import { definePart, LazyPart } from '#components/ui/overlay/lazy-part.tsx'
import { useT } from '#components/ui/translations.tsx'
import { paths } from '#lib/pages/paths.ts'
import { queryKeys } from '#lib/pages/queries.ts'
import { newPaymentPath } from '#lib/payments/payment-preview.ts'
import { recallWaiting } from '../../approvals/actions.ts'
import { ApprovalProgress } from '../../transactions/_components/detail/approval-progress.tsx'
import { Timeline } from '../../transactions/_components/detail/timeline.tsx'
import { useTransaction } from '../../transactions/_components/use-transaction.ts'
import type { NewPaymentState, Origin } from '../read-new-payment.ts'
import { forgetKept } from './kept-payments.ts'
import { OpenWork } from './open-work.tsx'

/** Rendered on the server like the rest; its script follows, because it brings react-hook-form and zod. */
const FORM = definePart(() => import('./payment-form.tsx'))

type Props = Omit<NewPaymentState, 'sent'> & { application: string; personId: string; externalId: string; sentId: string | null }

/** The form of a payment, and once it is sent what becomes of it. */
export function NewPayment({ application, personId, externalId, sentId, origin, drafts, returned, ...form }: Props) {
  const t = useT()
  const [sent, setSent] = useState(sentId)
  // Sent, even if the answer was lost: it must not be offered as one that was not.
  useEffect(() => {
    if (sent !== null) forgetKept(personId, externalId)
  }, [sent, personId, externalId])
  if (sent !== null) return <PaymentResult application={application} transactionId={sent} />
  const openWork = <OpenWork application={application} personId={personId} externalId={externalId} drafts={drafts} returned={returned} />
  const mayWrite = origin === null || origin.isReplaceable
  return (
    <>
      <PageHeader title={t('frame.newPayment')} lead={t('payment.lead')} />
      <div className="mt-5 grid gap-8">
        {origin && <OriginNotice application={application} origin={origin} />}
        {mayWrite ? (
          <LazyPart
            part={FORM}
            props={{
              application,
              personId,
              externalId,
              originId: origin?.transactionId ?? null,
              ...form,
              onSent: setSent,
              below: openWork,
            }}
            fallback={<Skeleton className="h-[30rem] w-full" />}
          />
        ) : (
          openWork
        )}
      </div>
    </>
  )
}

/** The payment that this one replaces: why it came back, or why it cannot be sent again. */
function OriginNotice({ application, origin }: { application: string; origin: Origin }) {
  const t = useT()
  const { end, transactionId, replacedBy, isReplaceable, isRecallable } = origin
  const link = (id: string, text: string) => (
    <Link href={paths.transaction(application, id)} className="underline">
      {text}
    </Link>
  )
  if (isRecallable) return <RecallFirst application={application} transactionId={transactionId} />
  if (replacedBy)
    return (
      <Notice tone="wait">
        {t('payment.origin.replaced')} {link(replacedBy.transactionId, t('payment.origin.openNew'))}
      </Notice>
    )
  if (!isReplaceable)
    return (
      <Notice tone="wait">
        {t('payment.origin.impossible')} {link(transactionId, t('payment.origin.open'))}
      </Notice>
    )
  return (
    <Notice>
      {t(`payment.origin.${end?.event ?? 'recalled'}`, { name: end?.by ?? '' })}{' '}
      {end?.reason && <bdi className="wrap-anywhere">{t('approvals.evidence.quoted', { text: end.reason })}</bdi>}{' '}
      {link(transactionId, t('payment.origin.open'))}
    </Notice>
  )
}

const REFUSALS = { not_the_maker: 'approvals.recall.not_the_maker', not_waiting: 'approvals.recall.not_waiting' } as const

/** A transaction that waits is edited by recalling it: nobody can approve it while somebody changes it. */
function RecallFirst({ application, transactionId }: { application: string; transactionId: string }) {
  const t = useT()
  const { run, isPending, error } = useAction(
    () => recallWaiting(application, { transactionId, reason: t('payment.origin.recallReason') }),
    { words: REFUSALS, refreshes: 'answered' },
  )
  return (
    <div className="grid gap-3">
      {error && <ErrorNotice error={error} />}
      <Notice
        tone="wait"
        action={
          <Button variant="primary" isBusy={isPending} onClick={() => run()}>
            {t('payment.origin.recall')}
          </Button>
        }
      >
        {t('payment.origin.waits')}
      </Notice>
    </div>
  )
}

/** Takes back what was just sent, while it waits. */
function RecallSent({ application, transactionId }: { application: string; transactionId: string }) {
  const t = useT()
  const { run, isPending, error } = useAction(
    () => recallWaiting(application, { transactionId, reason: t('payment.origin.recallReason') }),
    { words: REFUSALS, invalidates: [queryKeys.transactions(application)], said: () => t('payment.result.recalled') },
  )
  return (
    <>
      {error && <ErrorNotice error={error} />}
      <Button isBusy={isPending} onClick={() => run()}>
        {t('payment.result.recall')}
      </Button>
    </>
  )
}

/** The progress of a payment that was sent, updated live. */
function PaymentResult({ application, transactionId }: { application: string; transactionId: string }) {
  const t = useT()
  const { data, isError, refetch } = useTransaction(application, transactionId)
  return (
    <>
      <PageHeader
        title={t(data ? `payment.result.${data.status}` : 'payment.result.PENDING_APPROVAL')}
        lead={t('payment.result.lead')}
        actions={
          <>
            <ButtonLink href={newPaymentPath(application)} variant="primary">
              {t('frame.newPayment')}
            </ButtonLink>
            <ButtonLink href={paths.transaction(application, transactionId)}>{t('payment.result.open')}</ButtonLink>
            {data?.status === 'PENDING_APPROVAL' && <RecallSent application={application} transactionId={transactionId} />}
            {data?.isReplaceable && (
              <ButtonLink href={newPaymentPath(application, { from: transactionId })}>
                {t(data.events.at(-1)?.event === 'failed' ? 'payment.payAgain' : 'payment.repair')}
              </ButtonLink>
            )}
          </>
        }
      />
      <div className="mt-5 grid gap-5">
        <RefreshNotice isFailed={isError && data !== undefined} onRetry={() => void refetch()} />
        {!data && <Skeleton className="h-60 w-full" />}
        {data && (
          <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,5fr)_minmax(0,4fr)]">
            <Card className="grid content-start gap-3">
              <p role="status" className="flex flex-wrap items-center gap-x-3 gap-y-1">
                <Money amount={data.amount} currency={data.currency} size="figure" />
                <StatusBadge status={data.status} />
              </p>
              <p className="flex flex-wrap items-baseline gap-x-3">
                <TypeWord type={data.type} />
                <OperatorMark code={data.operator} />
              </p>
              <Customer name={data.customerName} phoneNumber={data.phoneNumber} />
              {data.status === 'FAILED' && data.message && (
                <p dir="auto" className="wrap-anywhere text-bad">
                  {data.message}
                </p>
              )}
              <Attachment application={application} transactionId={transactionId} attachment={data.attachment} />
            </Card>
            <div className="grid content-start gap-5">
              <ApprovalProgress application={application} detail={data} />
              <Timeline detail={data} />
            </div>
          </div>
        )}
      </div>
    </>
  )
}
