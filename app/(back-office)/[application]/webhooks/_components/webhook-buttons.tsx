'use client'

import { type FormEvent, useEffect } from 'react'
import { ErrorNotice } from '#components/form/error-notice.tsx'
import { ScriptForm } from '#components/form/script-form.tsx'
import { useAction } from '#components/form/use-action.tsx'
import { Button } from '#components/ui/button.tsx'
import { Select, TextField } from '#components/ui/field.tsx'
import { DialogButton } from '#components/ui/overlay/dialog-button.tsx'
import { onDemand } from '#components/ui/overlay/on-demand.tsx'
import { announce } from '#components/ui/overlay/toast.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import type { MessageKey } from '#lib/i18n/translate.ts'
import { RESEND_REFUSALS } from '#lib/webhooks/webhook-portal.ts'
import { resend } from '../../transactions/actions.ts'
import { sendTestWebhook, stopRecovery } from '../actions.ts'

const RecoverDialog = onDemand(async () => (await import('./recover-dialog.tsx')).RecoverDialog)

/** Opens the form that sends many webhooks again. */
export function RecoverButton({ application }: { application: string }) {
  const t = useT()
  return (
    <DialogButton dialog={(onClose) => <RecoverDialog application={application} onClose={onClose} />}>{t('webhooks.recover')}</DialogButton>
  )
}

const REFRESH_MS = 3_000

/** Stops a recovery that is in progress. While it is shown, the page refreshes, so that its progress is current. */
export function StopRecoveryButton({ application, recoveryId }: { application: string; recoveryId: string }) {
  const t = useT()
  const router = useRouter()
  const { run, isPending, error } = useAction(() => stopRecovery(application, { recoveryId }), { words: {}, refreshes: 'answered' })
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && router.refresh(), REFRESH_MS)
    return () => clearInterval(timer)
  }, [router])
  return (
    <>
      {error && <ErrorNotice error={error} />}
      <Button size="small" isBusy={isPending} onClick={() => run()}>
        {t('webhooks.stop')}
      </Button>
    </>
  )
}

const REASONS: Readonly<Partial<Record<string, MessageKey>>> = RESEND_REFUSALS

type Props = { application: string; transactionId: string; obstacle: { code: string } | null }

/** Requests one more attempt, or says why that is not possible now. */
export function ResendWebhookButton({ application, transactionId, obstacle }: Props) {
  const t = useT()
  const router = useRouter()
  const { run, isPending, error } = useAction(() => resend(application, { transactionId }), {
    words: RESEND_REFUSALS,
    said: () => t('webhooks.resent'),
    refreshes: 'answered',
  })
  const reason = obstacle && REASONS[obstacle.code]
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
      <Button variant="primary" isBusy={isPending} disabled={obstacle !== null} onClick={() => run()}>
        {t('webhooks.resend')}
      </Button>
    </div>
  )
}

const RotateDialog = onDemand(async () => (await import('../../_components/changes/proposal-dialog.tsx')).RotateDialog)

/** Opens the form that proposes a new secret. `isFirst`: nobody has collected one yet. */
export function NewSecretButton({ application, isFirst }: { application: string; isFirst: boolean }) {
  const t = useT()
  const title = t(isFirst ? 'webhooks.secretFirst' : 'webhooks.secretNew')
  return (
    <DialogButton
      dialog={(onClose) => (
        <RotateDialog application={application} title={title} kind="webhook_secret.rotate" subject={{}} onClose={onClose} />
      )}
    >
      {title}
    </DialogButton>
  )
}

const EventReceiverDialog = onDemand(async () => (await import('./event-receiver-dialog.tsx')).EventReceiverDialog)

/** Opens the form that proposes where events are sent. */
export function EventReceiverButton({ application, url }: { application: string; url: string | null }) {
  const t = useT()
  return (
    <DialogButton dialog={(onClose) => <EventReceiverDialog application={application} url={url} onClose={onClose} />}>
      {t('webhooks.eventsChange')}
    </DialogButton>
  )
}

const TEST_REFUSALS = { invalid: 'webhooks.testUrlWrong', throttled: 'webhooks.testThrottled' } as const

const TEST_STATUSES = ['SUCCESS', 'FAILED'] as const
type TestStatus = (typeof TEST_STATUSES)[number]

/** The address of a test event, and the button that sends it. */
export function TestForm({ application, url }: { application: string; url: string }) {
  const t = useT()
  const { run, isPending, error } = useAction((typed: string, status: TestStatus) => sendTestWebhook(application, { url: typed, status }), {
    words: TEST_REFUSALS,
    refreshes: 'done',
    onDone: () => announce(t('webhooks.testSent')),
  })
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    run(String(form.get('url') ?? '').trim(), form.get('status') === 'SUCCESS' ? 'SUCCESS' : 'FAILED')
  }
  return (
    <ScriptForm noValidate onSubmit={submit} className="mt-3 flex max-w-3xl flex-wrap items-end gap-2">
      <div className="min-w-0 flex-1 basis-64">
        <TextField
          id="test-url"
          name="url"
          type="url"
          label={t('webhooks.testUrl')}
          defaultValue={url}
          error={error ?? undefined}
          maxLength={2_048}
        />
      </div>
      <Select id="test-status" name="status" label={t('webhooks.testStatus')} defaultValue="SUCCESS">
        {TEST_STATUSES.map((status) => (
          <option key={status} value={status}>
            {status}
          </option>
        ))}
      </Select>
      <Button type="submit" isBusy={isPending}>
        {t('webhooks.sendTest')}
      </Button>
    </ScriptForm>
  )
}
