'use client'

import { type FormEvent, useEffect, useState, useTransition } from 'react'
import { ErrorNotice } from '#components/form/error-notice.tsx'
import { Button } from '#components/ui/button.tsx'
import { CopyButton } from '#components/ui/copy-button.tsx'
import { TextField } from '#components/ui/field.tsx'
import { QrPicture } from '#components/ui/qr-picture.tsx'
import { Skeleton } from '#components/ui/skeleton.tsx'
import { useT } from '#components/ui/translations.tsx'
import { callAction, refusalText } from '#lib/action-result.ts'
import type { QrCode } from '#lib/qr-code.ts'
import { confirmEnrolment, startEnrolment } from '../actions.ts'

const WORDS = {
  wrong_code: 'signIn.codeWrong',
  wrong_password: 'enrol.passwordWrong',
  throttled: 'settings.throttled',
  not_started: 'settings.enrolAgain',
  already_enabled: 'settings.alreadyOn',
  unknown_person: 'action.unauthenticated',
  offline: 'action.offline',
} as const

type Props = { application: string; onDone: (recoveryCodes: readonly string[]) => void; onCancel: () => void }
type Problem = { code: string; text: string }

/** Sets up a second factor: scan, code, password. The key is created when this opens and is valid only after the first correct code. */
export default function EnrolPanel({ application, onDone, onCancel }: Props) {
  const t = useT()
  const [begun, setBegun] = useState<{ secret: string; qrCode: QrCode } | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [isPending, startTransition] = useTransition()
  useEffect(() => {
    let isGone = false
    callAction(() => startEnrolment(application, { kind: 'totp' })).then((result) => {
      if (isGone) return
      if (result.ok) setBegun(result.value)
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
    <form onSubmit={submit} className="grid gap-4">
      {problem && !isWrongCode && !isWrongPassword && <ErrorNotice error={problem.text} />}
      <p>{t('enrol.stepScan')}</p>
      {begun ? <QrPicture code={begun.qrCode} label={t('enrol.qr')} /> : <Skeleton className="size-44 rounded-md" />}
      <div className="grid gap-1">
        <p className="text-second text-quiet">{t('enrol.stepType')}</p>
        <p className="flex min-h-10 items-start gap-1.5 font-medium tabular wrap-anywhere">
          {begun && (
            <>
              <span data-secret>{begun.secret}</span>
              <CopyButton text={begun.secret.replaceAll(' ', '')} label={t('enrol.stepType')} />
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
        <Button type="submit" variant="primary" isBusy={isPending} disabled={!begun}>
          {t('enrol.submit')}
        </Button>
        <Button onClick={onCancel}>{t('ui.cancel')}</Button>
      </div>
    </form>
  )
}
