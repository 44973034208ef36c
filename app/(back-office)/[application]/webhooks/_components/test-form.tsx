'use client'

import { type FormEvent, useState, useTransition } from 'react'
import { Button } from '#components/ui/button.tsx'
import { TextField } from '#components/ui/field.tsx'
import { announce } from '#components/ui/toast.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import { callAction, refusalText } from '#lib/action-result.ts'
import { sendTestWebhook } from '../actions.ts'

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
