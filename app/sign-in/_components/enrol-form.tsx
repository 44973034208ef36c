'use client'

import { useActionState } from 'react'
import { AuthenticatorLink, QrPicture, RecoveryCodes } from '#components/form/second-factor/recovery-codes.tsx'
import { Button } from '#components/ui/button.tsx'
import { CopyButton } from '#components/ui/copy-button.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { TextField } from '#components/ui/field.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { QrCode } from '#lib/people/sign-in.ts'
import { enrolAction } from '../actions.ts'

/** The form for setting up a second factor. */
export function EnrolForm({ next, enrolment }: { next: string; enrolment: { secret: string; url: string; qrCode: QrCode } | null }) {
  const t = useT()
  const [state, action, isPending] = useActionState(enrolAction, null)
  if (state?.kind === 'done') return <RecoveryCodes next={next} codes={state.recoveryCodes} />
  if (!enrolment)
    return (
      <div className="mt-5 grid gap-4">
        <p>{t('enrol.alreadyOn')}</p>
        <a className="text-accent hover:underline" href={next}>
          {t('signIn.continue')}
        </a>
      </div>
    )
  const { secret, url, qrCode } = enrolment
  return (
    <form action={action} className="mt-5 grid gap-5">
      {state?.kind === 'throttled' && <Notice tone="bad">{t('enrol.throttled')}</Notice>}
      <input type="hidden" name="next" value={next} />
      <div className="grid gap-3">
        <p>{t('enrol.stepScan')}</p>
        <QrPicture code={qrCode} label={t('enrol.qr')} />
        <AuthenticatorLink url={url} />
        <p className="text-second text-quiet">{t('enrol.stepType')}</p>
        <p className="flex items-start gap-1.5 font-medium tabular wrap-anywhere">
          <span data-secret>{secret}</span>
          <CopyButton text={secret.replaceAll(' ', '')} label={t('enrol.stepType')} />
        </p>
      </div>
      <TextField
        id="code"
        name="code"
        required
        maxLength={6}
        inputMode="numeric"
        autoComplete="one-time-code"
        label={t('enrol.stepCode')}
        error={state?.kind === 'wrong_code' ? t('signIn.codeWrong') : undefined}
        className="tabular"
      />
      <TextField
        id="password"
        name="password"
        type="password"
        required
        maxLength={1024}
        autoComplete="current-password"
        label={t('enrol.stepPassword')}
        error={state?.kind === 'wrong_password' ? t('enrol.passwordWrong') : undefined}
      />
      <Button type="submit" variant="primary" isBusy={isPending} className="h-9 w-full">
        {t('enrol.submit')}
      </Button>
    </form>
  )
}
