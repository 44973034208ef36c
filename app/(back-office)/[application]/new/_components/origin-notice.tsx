'use client'

import { useState, useTransition } from 'react'
import { ErrorNotice } from '#components/form/error-notice.tsx'
import { Button } from '#components/ui/button.tsx'
import { Notice } from '#components/ui/empty-state.tsx'
import { Link } from '#components/ui/link.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import { callAction, refusalText } from '#lib/action-result.ts'
import { paths } from '#lib/paths.ts'
import { recallWaiting } from '../../approvals/actions.ts'
import type { Origin } from '../read-new-payment.ts'

/** What this payment is sent in place of: why that one came back, or why it cannot be sent again. */
export function OriginNotice({ application, origin }: { application: string; origin: Origin }) {
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
      {t(
        end?.event === 'rejected'
          ? 'payment.origin.rejected'
          : end?.event === 'expired'
            ? 'payment.origin.expired'
            : 'payment.origin.recalled',
        {
          name: end?.by ?? '',
        },
      )}{' '}
      {end?.reason && <bdi className="wrap-anywhere">{t('approvals.evidence.quoted', { text: end.reason })}</bdi>}{' '}
      {link(transactionId, t('payment.origin.open'))}
    </Notice>
  )
}

const WORDS = {
  not_the_maker: 'approvals.recall.not_the_maker',
  not_waiting: 'approvals.recall.not_waiting',
  offline: 'action.offline',
} as const

/** A transaction that waits is edited by recalling it: nobody can approve it while somebody changes it. */
function RecallFirst({ application, transactionId }: { application: string; transactionId: string }) {
  const t = useT()
  const router = useRouter()
  const [problem, setProblem] = useState<string | null>(null)
  const [isPending, startTransition] = useTransition()
  const recall = () =>
    startTransition(async () => {
      const recalled = await callAction(() => recallWaiting(application, { transactionId, reason: t('payment.origin.recallReason') }))
      setProblem(recalled.ok ? null : refusalText(t, recalled.error.code, WORDS))
      router.refresh()
    })
  return (
    <div className="grid gap-3">
      {problem && <ErrorNotice error={problem} />}
      <Notice
        tone="wait"
        action={
          <Button variant="primary" isBusy={isPending} onClick={recall}>
            {t('payment.origin.recall')}
          </Button>
        }
      >
        {t('payment.origin.waits')}
      </Notice>
    </div>
  )
}
