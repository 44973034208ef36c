import { useState } from 'react'
import { FormDialog } from '#components/form/form-dialog.tsx'
import { useAction } from '#components/form/use-action.tsx'
import { Checkbox, TextField } from '#components/ui/field.tsx'
import { useT } from '#components/ui/translations.tsx'
import { countRecovery, startRecovery } from '../actions.ts'

const REFUSALS = {
  nothing_to_recover: 'webhooks.nothingToRecover',
  recovery_running: 'webhooks.recoveryRunning',
  count_changed: 'webhooks.countChanged',
} as const

type Scope = { since: string; includesDelivered: boolean }

/** Sends webhooks again since a point in time: first it counts them, then it asks, then it begins. */
export function RecoverDialog({ application, onClose }: { application: string; onClose: () => void }) {
  const t = useT()
  const [counted, setCounted] = useState<number | null>(null)
  const count = useAction((scope: Scope) => countRecovery(application, scope), {
    words: {},
    onDone: (value) => setCounted(value.count),
  })
  const start = useAction((scope: Scope, count: number) => startRecovery(application, { ...scope, counted: count }), {
    words: REFUSALS,
    said: () => t('webhooks.recoveryStarted'),
    refreshes: 'done',
    onDone: onClose,
    onRefused: () => setCounted(null),
  })
  function submit(fields: FormData) {
    const scope = { since: String(fields.get('since') ?? ''), includesDelivered: fields.get('includesDelivered') === 'on' }
    start.setError(null)
    if (scope.since === '') return count.setError(t('webhooks.sinceMissing'))
    if (counted === null || counted === 0) count.run(scope)
    else start.run(scope, counted)
  }
  return (
    <FormDialog
      title={t('webhooks.recover')}
      submitLabel={counted === null || counted === 0 ? t('webhooks.count') : t('webhooks.sendAgain', { count: counted })}
      isPending={count.isPending || start.isPending}
      error={count.error ?? start.error}
      onSubmit={(_, fields) => submit(fields)}
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
