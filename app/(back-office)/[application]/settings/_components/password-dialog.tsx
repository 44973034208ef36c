'use client'

import { type FormEvent, useState, useTransition } from 'react'
import { FormDialog } from '#components/form/form-dialog.tsx'
import { Checkbox, TextField } from '#components/ui/field.tsx'
import { toast } from '#components/ui/toast.tsx'
import { useT } from '#components/ui/translations.tsx'
import { callAction, refusalText } from '#lib/action-result.ts'
import { changePassword } from '../actions.ts'

const WORDS = {
  wrong_credentials: 'settings.passwordWrong',
  throttled: 'settings.throttled',
  password_too_short: 'settings.passwordShort',
  password_too_common: 'settings.passwordCommon',
  unknown_person: 'action.unauthenticated',
  offline: 'action.offline',
} as const

type Problem = { code: string; text: string }

/** The current password and a new one. The new one has a single field, because it can be shown. */
export default function PasswordDialog({ application, email, onClose }: { application: string; email: string; onClose: () => void }) {
  const t = useT()
  const [isShown, setIsShown] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [isPending, startTransition] = useTransition()
  const type = isShown ? 'text' : 'password'
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const input = { currentPassword: String(form.get('currentPassword')), newPassword: String(form.get('newPassword')) }
    startTransition(async () => {
      const result = await callAction(() => changePassword(application, input))
      if (!result.ok) return setProblem({ code: result.error.code, text: refusalText(t, result.error.code, WORDS) })
      toast(t('settings.passwordChanged'))
      onClose()
    })
  }
  const atField = (code: string) => (problem?.code === code ? problem.text : undefined)
  const ofNewPassword = atField('password_too_short') ?? atField('password_too_common')
  const isAtField = problem?.code === 'wrong_credentials' || ofNewPassword !== undefined
  return (
    <FormDialog
      title={t('settings.changePassword')}
      submitLabel={t('settings.changePassword')}
      isPending={isPending}
      error={problem && !isAtField ? problem.text : null}
      onSubmit={submit}
      onClose={onClose}
    >
      <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
      <TextField
        id="current-password"
        name="currentPassword"
        type={type}
        required
        maxLength={1024}
        autoComplete="current-password"
        label={t('settings.currentPassword')}
        error={atField('wrong_credentials')}
      />
      <TextField
        id="new-password"
        name="newPassword"
        type={type}
        required
        maxLength={1024}
        autoComplete="new-password"
        label={t('settings.newPassword')}
        hint={t('settings.passwordHint')}
        error={ofNewPassword}
      />
      <Checkbox label={t('settings.showPasswords')} checked={isShown} onChange={(event) => setIsShown(event.target.checked)} />
    </FormDialog>
  )
}
