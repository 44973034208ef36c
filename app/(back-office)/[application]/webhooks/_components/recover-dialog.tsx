import { type FormEvent, useState, useTransition } from 'react'
import { FormDialog } from '#components/form/form-dialog.tsx'
import { Checkbox, TextField } from '#components/ui/field.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import { callAction, refusalText } from '#lib/result.ts'
import { countRecovery, startRecovery } from '../actions.ts'

const REFUSALS = {
  not_permitted: 'action.forbidden',
  nothing_to_recover: 'webhooks.nothingToRecover',
  recovery_running: 'webhooks.recoveryRunning',
  count_changed: 'webhooks.countChanged',
  offline: 'action.offline',
} as const

/** Sends webhooks again since a point in time: first it counts them, then it asks, then it begins. */
export default function RecoverDialog({ application, onClose }: { application: string; onClose: () => void }) {
  const t = useT()
  const router = useRouter()
  const [counted, setCounted] = useState<number | null>(null)
  const [error, setError] = useState<string | null>(null)
  const [isPending, startTransition] = useTransition()
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    const scope = { since: String(fields.get('since') ?? ''), includesDelivered: fields.get('includesDelivered') === 'on' }
    if (scope.since === '') return setError(t('webhooks.sinceMissing'))
    startTransition(async () => {
      setError(null)
      if (counted === null || counted === 0) {
        const result = await callAction(() => countRecovery(application, scope))
        return result.ok ? setCounted(result.value.count) : setError(refusalText(t, result.error.code, { offline: 'action.offline' }))
      }
      const result = await callAction(() => startRecovery(application, { ...scope, counted }))
      if (!result.ok) {
        setCounted(null)
        return setError(refusalText(t, result.error.code, REFUSALS))
      }
      toast(t('webhooks.recoveryStarted'))
      onClose()
      router.refresh()
    })
  }
  return (
    <FormDialog
      title={t('webhooks.recover')}
      submitLabel={counted === null || counted === 0 ? t('webhooks.count') : t('webhooks.sendAgain', { count: counted })}
      isPending={isPending}
      error={error}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        id="since"
        name="since"
        type="datetime-local"
        label={t('webhooks.since')}
        hint={t('webhooks.sinceHint')}
        required
        onChange={() => setCounted(null)}
      />
      <Checkbox name="includesDelivered" label={t('webhooks.includesDelivered')} onChange={() => setCounted(null)} />
      <p role="status">{counted !== null && t('webhooks.counted', { count: counted })}</p>
      <p className="text-second text-quiet">{t('webhooks.recoverText')}</p>
    </FormDialog>
  )
}
