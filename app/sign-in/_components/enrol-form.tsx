'use client'

import { useActionState } from 'react'
import { Button, ButtonLink } from '#components/ui/button.tsx'
import { CopyButton } from '#components/ui/copy-button.tsx'
import { TextField } from '#components/ui/field.tsx'
import { useT } from '#components/ui/words.tsx'
import type { QrCode } from '#lib/qr-code.ts'
import { enrolAction } from '../actions.ts'

/** Scan, type the code, keep the recovery codes. */
export function EnrolForm({ next, secret, qrCode }: { next: string; secret: string; qrCode: QrCode }) {
  const t = useT()
  const [state, action, isPending] = useActionState(enrolAction, null)
  if (state?.kind === 'done') return <RecoveryCodes next={next} codes={state.recoveryCodes} />
  return (
    <form action={action} className="mt-5 grid gap-5">
      <input type="hidden" name="next" value={next} />
      <div className="grid gap-3">
        <p>{t('enrol.stepScan')}</p>
        <svg
          role="img"
          aria-label={t('enrol.qr')}
          viewBox={`-2 -2 ${qrCode.size + 4} ${qrCode.size + 4}`}
          shapeRendering="crispEdges"
          className="size-44 rounded-md border border-line bg-[#fff]"
        >
          <path d={qrCode.path} fill="#000" />
        </svg>
        <p className="text-second text-quiet">{t('enrol.stepType')}</p>
        <p className="flex items-start gap-1.5 font-medium tabular break-all">
          {secret}
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
        error={state?.kind === 'wrong' ? t('signIn.codeWrong') : undefined}
        className="tabular"
      />
      <Button type="submit" variant="primary" isBusy={isPending} className="h-9 w-full">
        {t('enrol.submit')}
      </Button>
    </form>
  )
}

/** The codes that replace the device, shown this once. Shared with the settings page. */
export function RecoveryCodes({ next, codes }: { next: string; codes: readonly string[] }) {
  const t = useT()
  return (
    <section className="mt-5 grid gap-4" aria-labelledby="recovery-codes">
      <div>
        <h2 id="recovery-codes">{t('enrol.codesTitle')}</h2>
        <p className="text-ink-2">{t('enrol.codesLead')}</p>
      </div>
      <ul className="grid gap-1 rounded-md border border-line bg-surface p-4 font-medium tabular">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="flex items-center gap-2">
        <ButtonLink href={next} variant="primary">
          {t('enrol.codesKept')}
        </ButtonLink>
        <CopyButton text={codes.join('\n')} label={t('enrol.codesTitle')} />
      </div>
    </section>
  )
}
