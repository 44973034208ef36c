'use client'

import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useState } from 'react'
import { Button, NotAllowed } from '#components/ui/button.tsx'
import { Icon } from '#components/ui/icon.tsx'
import { announce } from '#components/ui/toast.tsx'
import { useT } from '#components/ui/translations.tsx'
import { callAction, refusalText } from '#lib/action-result.ts'
import { queryKeys } from '#lib/query-keys.ts'
import type { WebhookDto } from '#lib/transaction-detail.ts'
import { resend } from '../../actions.ts'
import { useWebhookWords } from './use-webhook-words.ts'

const MINUTE_MS = 60_000

const WORDS = {
  not_permitted: 'transaction.resendNotPermitted',
  no_delivery: 'transaction.resendNoDelivery',
  attempt_in_progress: 'transaction.resendInProgress',
  resend_waiting: 'transaction.resendIsWaiting',
  throttled: 'transaction.resendLimit',
  offline: 'action.offline',
} as const

type ResendButtonProps = { application: string; transactionId: string; webhook: WebhookDto; canResend: boolean }

/** Requests one more delivery, and shows its result once the receiver has answered. Says why where it is not possible. */
export function ResendButton({ application, transactionId, webhook, canResend }: ResendButtonProps) {
  const t = useT()
  const queryClient = useQueryClient()
  const [isBusy, setIsBusy] = useState(false)
  const [refusal, setRefusal] = useState<string | null>(null)
  /** How many attempts there were when this person requested one. */
  const [requestedAfter, setRequestedAfter] = useState<number | null>(null)
  const result = useResult(webhook, requestedAfter)
  async function run() {
    setIsBusy(true)
    setRefusal(null)
    const before = webhook.attempts.length
    const answer = await callAction(() => resend(application, { transactionId }))
    if (answer.ok) setRequestedAfter(before)
    else setRefusal(refusalText(t, answer.error.code, WORDS))
    await queryClient.invalidateQueries({ queryKey: queryKeys.transaction(application, transactionId) })
    setIsBusy(false)
  }
  if (!canResend) return <NotAllowed reason={t('transaction.resendNotPermitted')} />
  const obstacle = webhook.resendObstacle
  const reason =
    obstacle && t(`transaction.resendObstacle.${obstacle.code}`, { count: Math.ceil((obstacle.retryAfterMs ?? 0) / MINUTE_MS) })
  return (
    <div className="no-print flex flex-wrap items-center gap-x-3 gap-y-1 py-2">
      <Button size="small" isBusy={isBusy} disabled={obstacle !== null} onClick={() => void run()}>
        <Icon name="refresh" className="size-3.5" />
        {t(isBusy ? 'transaction.resending' : 'transaction.resend')}
      </Button>
      <p role="status" className="text-second text-ink-2">
        {refusal ?? reason ?? result}
      </p>
    </div>
  )
}

/** What became of the attempt that this person requested; announced, because the list that shows it may be out of sight. */
function useResult({ attempts }: WebhookDto, requestedAfter: number | null): string | null {
  const wordsOf = useWebhookWords()
  const mine = requestedAfter === null ? undefined : attempts.slice(requestedAfter).findLast((attempt) => attempt.origin === 'person')
  const words = mine ? wordsOf(mine) : null
  const say = useEffectEvent(announce)
  useEffect(() => {
    if (words) say(words)
  }, [words])
  return words
}
