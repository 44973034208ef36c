'use client'

import { useActionState, useEffect, useRef } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Notice } from '#components/ui/empty-state.tsx'
import { TextField } from '#components/ui/field.tsx'
import { useT } from '#components/ui/translations.tsx'
import { signInAction } from '../actions.ts'

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
