'use client'

import { useState, useTransition } from 'react'
import { Button } from '#components/ui/button.tsx'
import { toast } from '#components/ui/toast.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import { callAction, refusalText } from '#lib/action-result.ts'
import type { MessageKey } from '#lib/i18n/translate.ts'
import { resend } from '../../transactions/actions.ts'

const WORDS = {
  not_permitted: 'transaction.resendNotPermitted',
  no_delivery: 'transaction.resendNoDelivery',
  attempt_in_progress: 'transaction.resendInProgress',
  resend_waiting: 'transaction.resendIsWaiting',
  throttled: 'transaction.resendLimit',
  offline: 'action.offline',
} as const satisfies Record<string, MessageKey>
const WORDS_BY_CODE: Readonly<Partial<Record<string, MessageKey>>> = WORDS

type Props = { application: string; transactionId: string; obstacle: { code: string } | null }

/** Requests one more attempt, or says why that is not possible now. */
export function ResendWebhookButton({ application, transactionId, obstacle }: Props) {
  const t = useT()
  const router = useRouter()
  const [error, setError] = useState<string | null>(null)
  const [isPending, startTransition] = useTransition()
  function run() {
    startTransition(async () => {
      const result = await callAction(() => resend(application, { transactionId }))
      setError(result.ok ? null : refusalText(t, result.error.code, WORDS))
      if (result.ok) toast(t('webhooks.resent'))
      router.refresh()
    })
  }
  const reason = obstacle && WORDS_BY_CODE[obstacle.code]
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <p role="status" className="text-second text-quiet max-sm:order-last">
        {error ?? (reason && t(reason))}
      </p>
      {reason && (
        <Button size="small" onClick={() => router.refresh()}>
          {t('webhooks.refresh')}
        </Button>
      )}
      <Button variant="primary" isBusy={isPending} disabled={obstacle !== null} onClick={run}>
        {t('webhooks.resend')}
      </Button>
    </div>
  )
}
