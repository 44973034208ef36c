'use client'

import { type FormEvent, useState, useTransition } from 'react'
import { FormDialog } from '#components/form/form-dialog.tsx'
import { TextField } from '#components/ui/field.tsx'
import { toast } from '#components/ui/toast.tsx'
import { useT } from '#components/ui/translations.tsx'
import { callAction, refusalText } from '#lib/action-result.ts'
import { renewCodes, switchOff } from '../actions.ts'

const WORDS = {
  wrong_code: 'signIn.codeWrong',
  not_enabled: 'settings.alreadyOff',
  throttled: 'settings.throttled',
  too_many: 'settings.throttled',
  demanded: 'settings.demandedNow',
  unknown_person: 'action.unauthenticated',
  offline: 'action.offline',
} as const

type Props = { kind: 'renew' | 'off'; application: string; onClose: () => void; onCodes: (codes: readonly string[]) => void }
type Problem = { code: string; text: string }

/** Requires a code before the recovery codes are replaced or the second factor is turned off. */
export default function CodeDialog({ kind, application, onClose, onCodes }: Props) {
  const t = useT()
  const [problem, setProblem] = useState<Problem | null>(null)
  const [isPending, startTransition] = useTransition()
  const isRenewal = kind === 'renew'
  async function send(code: string) {
    if (isRenewal) {
      const result = await callAction(() => renewCodes(application, { code }))
      if (result.ok) return onCodes(result.value.recoveryCodes)
      return setProblem({ code: result.error.code, text: refusalText(t, result.error.code, WORDS) })
    }
    const result = await callAction(() => switchOff(application, { code }))
    if (!result.ok) return setProblem({ code: result.error.code, text: refusalText(t, result.error.code, WORDS) })
    toast(t('settings.secondFactorOff'))
    onClose()
  }
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const code = String(new FormData(event.currentTarget).get('code'))
    startTransition(() => send(code))
  }
  const isWrongCode = problem?.code === 'wrong_code' || problem?.code === 'invalid'
  return (
    <FormDialog
      title={isRenewal ? t('settings.renewCodes') : t('settings.switchOffTitle')}
      submitLabel={isRenewal ? t('settings.renewSubmit') : t('settings.switchOff')}
      submitVariant={isRenewal ? 'primary' : 'danger'}
      isPending={isPending}
      error={problem && !isWrongCode ? problem.text : null}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{isRenewal ? t('settings.renewLead') : t('settings.switchOffLead')}</p>
      <TextField
        id="fresh-code"
        name="code"
        required
        maxLength={64}
        autoComplete="one-time-code"
        spellCheck={false}
        label={isRenewal ? t('signIn.code') : t('settings.anyCode')}
        error={isWrongCode ? t('signIn.codeWrong') : undefined}
        className="max-w-64 tabular"
      />
    </FormDialog>
  )
}
