'use client'

import { useActionState, useEffect, useRef } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { TextField } from '#components/ui/field.tsx'
import { useT } from '#components/ui/translations.tsx'
import { paths } from '#lib/pages/paths.ts'
import { codeAction, signInAction } from '../actions.ts'

/** E-mail and password. A plain form: it works before, and without, any script. */
export function PasswordForm({ next }: { next: string }) {
  const t = useT()
  const [state, action, isPending] = useActionState(signInAction, null)
  const password = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (state) password.current?.focus()
  }, [state])
  return (
    <form action={action} className="mt-6 grid gap-4">
      {state && (
        <Notice tone="bad">
          {state.problem === 'throttled'
            ? t('signIn.throttled', { minutes: state.minutes })
            : t(state.problem === 'blocked' ? 'signIn.blocked' : 'signIn.wrong')}
        </Notice>
      )}
      <input type="hidden" name="next" value={next} />
      <TextField
        id="email"
        name="email"
        type="email"
        label={t('signIn.email')}
        autoComplete="username"
        required
        maxLength={320}
        defaultValue={state?.email}
      />
      <TextField
        id="password"
        name="password"
        type="password"
        label={t('signIn.password')}
        autoComplete="current-password"
        required
        maxLength={1024}
        ref={password}
      />
      <Button type="submit" variant="primary" isBusy={isPending} className="h-9 w-full">
        {t('signIn.submit')}
      </Button>
    </form>
  )
}

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
