'use client'

import { useActionState, useEffect, useRef } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Notice } from '#components/ui/empty-state.tsx'
import { TextField } from '#components/ui/field.tsx'
import { useT } from '#components/ui/translations.tsx'
import { paths } from '#lib/paths.ts'
import { codeAction } from '../actions.ts'

/** The form for a one-time code or a recovery code. */
export function CodeForm({ next, isRecovery }: { next: string; isRecovery: boolean }) {
  const t = useT()
  const [state, action, isPending] = useActionState(codeAction, null)
  const code = useRef<HTMLInputElement>(null)
  useEffect(() => code.current?.focus(), [])
  const wrong = isRecovery ? t('signIn.recoveryWrong') : t('signIn.codeWrong')
  return (
    <form action={action} className="mt-1 grid gap-4">
      {!isRecovery && <p className="text-ink-2">{t('signIn.codeLead')}</p>}
      {state && <Notice tone="bad">{state.problem === 'throttled' ? t('signIn.throttled', { minutes: state.minutes }) : wrong}</Notice>}
      <input type="hidden" name="next" value={next} />
      <TextField
        key={isRecovery ? 'recovery' : 'code'}
        id="code"
        name="code"
        ref={code}
        required
        maxLength={64}
        autoComplete="one-time-code"
        spellCheck={false}
        inputMode={isRecovery ? 'text' : 'numeric'}
        label={isRecovery ? t('signIn.recoveryCode') : t('signIn.code')}
        className="tabular"
      />
      <Button type="submit" variant="primary" isBusy={isPending} className="h-9 w-full">
        {t('signIn.continue')}
      </Button>
      <p className="flex justify-between text-second">
        <a className="text-accent hover:underline" href={isRecovery ? paths.secondFactor(next) : `${paths.secondFactor(next)}&recovery=1`}>
          {isRecovery ? t('signIn.useApp') : t('signIn.recovery')}
        </a>
        <a className="text-accent hover:underline" href={paths.signIn()}>
          {t('signIn.startOver')}
        </a>
      </p>
    </form>
  )
}
