import { type FormEvent, useEffect, useState, useTransition } from 'react'
import { ErrorNotice } from '#components/form/error-notice.tsx'
import { FormDialog } from '#components/form/form-dialog.tsx'
import { ScriptForm } from '#components/form/script-form.tsx'
import { AuthenticatorLink, QrPicture } from '#components/form/second-factor/recovery-codes.tsx'
import { Button } from '#components/ui/button.tsx'
import { CopyButton } from '#components/ui/copy-button.tsx'
import { Skeleton } from '#components/ui/display/page.tsx'
import { Checkbox, TextField } from '#components/ui/field.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { QrCode } from '#lib/people/sign-in.ts'
import { callAction, refusalText } from '#lib/result.ts'
import { changePassword, confirmEnrolment, renewCodes, startEnrolment, switchOff } from '../actions.ts'

const WORDS = {
  wrong_code: 'signIn.codeWrong',
  wrong_password: 'enrol.passwordWrong',
  throttled: 'settings.throttled',
  not_started: 'settings.enrolAgain',
  passkey_needed: 'settings.passkeySession',
  already_enabled: 'settings.alreadyOn',
  unknown_person: 'action.unauthenticated',
  offline: 'action.offline',
} as const

type Props = { application: string; onDone: (recoveryCodes: readonly string[]) => void; onCancel: () => void }
type Problem = { code: string; text: string }

/** Sets up a second factor: scan, code, password. The key is created when this opens and is valid only after the first correct code. */
export function EnrolPanel({ application, onDone, onCancel }: Props) {
  const t = useT()
  const [enrolment, setEnrolment] = useState<{ secret: string; url: string; qrCode: QrCode } | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [isPending, startTransition] = useTransition()
  useEffect(() => {
    let isGone = false
    callAction(() => startEnrolment(application, { kind: 'totp' })).then((result) => {
      if (isGone) return
      if (result.ok) setEnrolment(result.value)
      else setProblem({ code: result.error.code, text: refusalText(t, result.error.code, WORDS) })
    })
    return () => {
      isGone = true
    }
  }, [application, t])
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const given = { code: String(form.get('code')), password: String(form.get('password')) }
    startTransition(async () => {
      const result = await callAction(() => confirmEnrolment(application, given))
      if (result.ok) onDone(result.value.recoveryCodes)
      else setProblem({ code: result.error.code, text: refusalText(t, result.error.code, WORDS) })
    })
  }
  const isWrongCode = problem?.code === 'wrong_code' || problem?.code === 'invalid'
  const isWrongPassword = problem?.code === 'wrong_password'
  return (
    <ScriptForm onSubmit={submit} className="grid gap-4">
      {problem && !isWrongCode && !isWrongPassword && <ErrorNotice error={problem.text} />}
      <p>{t('enrol.stepScan')}</p>
      {enrolment ? <QrPicture code={enrolment.qrCode} label={t('enrol.qr')} /> : <Skeleton className="size-44 rounded-md" />}
      {enrolment && <AuthenticatorLink url={enrolment.url} />}
      <div className="grid gap-1">
        <p className="text-second text-quiet">{t('enrol.stepType')}</p>
        <p className="flex min-h-10 items-start gap-1.5 font-medium tabular wrap-anywhere">
          {enrolment && (
            <>
              <span data-secret>{enrolment.secret}</span>
              <CopyButton text={enrolment.secret.replaceAll(' ', '')} label={t('enrol.stepType')} />
            </>
          )}
        </p>
      </div>
      <TextField
        id="enrol-code"
        name="code"
        required
        maxLength={6}
        inputMode="numeric"
        autoComplete="one-time-code"
        label={t('enrol.stepCode')}
        error={isWrongCode ? t('signIn.codeWrong') : undefined}
        className="max-w-40 tabular"
      />
      <TextField
        id="enrol-password"
        name="password"
        type="password"
        required
        maxLength={1024}
        autoComplete="current-password"
        label={t('enrol.stepPassword')}
        error={isWrongPassword ? t('enrol.passwordWrong') : undefined}
        className="max-w-80"
      />
      <div className="flex gap-2">
        <Button type="submit" variant="primary" isBusy={isPending} disabled={!enrolment}>
          {t('enrol.submit')}
        </Button>
        <Button onClick={onCancel}>{t('ui.cancel')}</Button>
      </div>
    </ScriptForm>
  )
}

const CODE_DIALOG_WORDS = {
  wrong_code: 'signIn.codeWrong',
  not_enabled: 'settings.alreadyOff',
  throttled: 'settings.throttled',
  too_many: 'settings.throttled',
  demanded: 'settings.demandedNow',
  unknown_person: 'action.unauthenticated',
  offline: 'action.offline',
} as const

type CodeDialogProps = { kind: 'renew' | 'off'; application: string; onClose: () => void; onCodes: (codes: readonly string[]) => void }

/** Requires a code before the recovery codes are replaced or the second factor is turned off. */
export function CodeDialog({ kind, application, onClose, onCodes }: CodeDialogProps) {
  const t = useT()
  const [problem, setProblem] = useState<Problem | null>(null)
  const [isPending, startTransition] = useTransition()
  const isRenewal = kind === 'renew'
  async function send(code: string) {
    if (isRenewal) {
      const result = await callAction(() => renewCodes(application, { code }))
      if (result.ok) return onCodes(result.value.recoveryCodes)
      return setProblem({ code: result.error.code, text: refusalText(t, result.error.code, CODE_DIALOG_WORDS) })
    }
    const result = await callAction(() => switchOff(application, { code }))
    if (!result.ok) return setProblem({ code: result.error.code, text: refusalText(t, result.error.code, CODE_DIALOG_WORDS) })
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

const PASSWORD_DIALOG_WORDS = {
  wrong_credentials: 'settings.passwordWrong',
  throttled: 'settings.throttled',
  password_too_short: 'settings.passwordShort',
  password_too_common: 'settings.passwordCommon',
  unknown_person: 'action.unauthenticated',
  offline: 'action.offline',
} as const

/** The current password and a new one. The new one has a single field, because it can be shown. */
export function PasswordDialog({ application, email, onClose }: { application: string; email: string; onClose: () => void }) {
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
      if (!result.ok) return setProblem({ code: result.error.code, text: refusalText(t, result.error.code, PASSWORD_DIALOG_WORDS) })
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
