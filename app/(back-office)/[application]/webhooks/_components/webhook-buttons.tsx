'use client'

import { type FormEvent, useEffect, useState, useTransition } from 'react'
import { ErrorNotice } from '#components/form/error-notice.tsx'
import { Button } from '#components/ui/button.tsx'
import { TextField } from '#components/ui/field.tsx'
import { definePart, LazyPart } from '#components/ui/overlay/lazy-part.tsx'
import { announce, toast } from '#components/ui/overlay/toast.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import type { MessageKey } from '#lib/i18n/translate.ts'
import { callAction, refusalText } from '#lib/result.ts'
import { resend } from '../../transactions/actions.ts'
import { sendTestWebhook, stopRecovery } from '../actions.ts'

const DIALOG = definePart(() => import('./recover-dialog.tsx'))

/** Opens the form that sends many webhooks again. */
export function RecoverButton({ application }: { application: string }) {
  const t = useT()
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>{t('webhooks.recover')}</Button>
      {isOpen && <LazyPart part={DIALOG} props={{ application, onClose: () => setIsOpen(false) }} />}
    </>
  )
}

const REFRESH_MS = 3_000

/** Stops a recovery that is in progress. While it is shown, the page refreshes, so that its progress is current. */
export function StopRecoveryButton({ application, recoveryId }: { application: string; recoveryId: string }) {
  const t = useT()
  const router = useRouter()
  const [error, setError] = useState<string | null>(null)
  const [isPending, startTransition] = useTransition()
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && router.refresh(), REFRESH_MS)
    return () => clearInterval(timer)
  }, [router])
  function stop() {
    startTransition(async () => {
      const result = await callAction(() => stopRecovery(application, { recoveryId }))
      if (!result.ok && result.error.code !== 'not_found')
        return setError(refusalText(t, result.error.code, { not_permitted: 'action.forbidden', offline: 'action.offline' }))
      router.refresh()
    })
  }
  return (
    <>
      {error && <ErrorNotice error={error} />}
      <Button size="small" isBusy={isPending} onClick={stop}>
        {t('webhooks.stop')}
      </Button>
    </>
  )
}

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

const ROTATE_DIALOG = definePart(async () => ({
  default: (await import('../../_components/changes/change-dialogs.tsx')).RotateDialog,
}))
const SUBJECT = {}

/** Opens the form that proposes a new secret. */
export function RotateSecretButton({ application }: { application: string }) {
  const t = useT()
  const [isOpen, setIsOpen] = useState(false)
  const title = t('webhooks.rotateSecret')
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>{title}</Button>
      {isOpen && (
        <LazyPart
          part={ROTATE_DIALOG}
          props={{ application, title, kind: 'webhook_secret.rotate' as const, subject: SUBJECT, onClose: () => setIsOpen(false) }}
        />
      )}
    </>
  )
}

const REFUSALS = {
  not_permitted: 'action.forbidden',
  throttled: 'webhooks.testThrottled',
  offline: 'action.offline',
} as const

/** The address of a test event, and the button that sends it. */
export function TestForm({ application, url }: { application: string; url: string }) {
  const t = useT()
  const router = useRouter()
  const [error, setError] = useState<string | undefined>(undefined)
  const [isPending, startTransition] = useTransition()
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const typed = String(new FormData(event.currentTarget).get('url') ?? '').trim()
    startTransition(async () => {
      const result = await callAction(() => sendTestWebhook(application, { url: typed }))
      setError(
        result.ok ? undefined : result.error.code === 'invalid' ? t('webhooks.testUrlWrong') : refusalText(t, result.error.code, REFUSALS),
      )
      if (!result.ok) return
      announce(t('webhooks.testSent'))
      router.refresh()
    })
  }
  return (
    <form noValidate onSubmit={submit} className="mt-3 flex max-w-3xl flex-wrap items-end gap-2">
      <div className="min-w-0 flex-1 basis-64">
        <TextField id="test-url" name="url" type="url" label={t('webhooks.testUrl')} defaultValue={url} error={error} maxLength={2_048} />
      </div>
      <Button type="submit" isBusy={isPending}>
        {t('webhooks.sendTest')}
      </Button>
    </form>
  )
}
