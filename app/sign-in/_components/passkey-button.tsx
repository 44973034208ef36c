'use client'

import { useState, useTransition } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useIsReady } from '#components/ui/use-is-ready.ts'
import type { MessageKey } from '#lib/i18n/translate.ts'
import { callAction } from '#lib/result.ts'
import { passkeyAction, startPasskeyAction } from '../actions.ts'

const WORDS = {
  refused: 'signIn.passkeyRefused',
  not_offered: 'signIn.passkeyRefused',
  blocked: 'signIn.blocked',
  unused: 'signIn.passkeyUnused',
  throttled: 'signIn.throttled',
  offline: 'action.offline',
} as const satisfies Record<string, MessageKey>

/** Signs in with a passkey of this device or of a phone nearby. The e-mail is not needed: the passkey says whose it is. */
export function PasskeyButton({ next }: { next: string }) {
  const t = useT()
  const isReady = useIsReady()
  const [problem, setProblem] = useState<keyof typeof WORDS | null>(null)
  const [isPending, startTransition] = useTransition()
  function signIn() {
    setProblem(null)
    startTransition(async () => setProblem(await askAndSignIn(next)))
  }
  return (
    <div className="mt-3 grid gap-3">
      <Button className="h-9 w-full" disabled={!isReady} isBusy={isPending} onClick={signIn}>
        {t('signIn.passkey')}
      </Button>
      {problem && <Notice tone="bad">{problem === 'throttled' ? t('signIn.throttled', { minutes: 1 }) : t(WORDS[problem])}</Notice>}
    </div>
  )
}

/** Returns why the person is not signed in; a sign-in ends with another page. */
async function askAndSignIn(next: string): Promise<keyof typeof WORDS> {
  const started = await callAction(async () => {
    const answered = await startPasskeyAction()
    return answered.ok ? answered : { ok: false as const, error: { code: answered.error } }
  })
  if (!started.ok) return started.error.code === 'throttled' || started.error.code === 'offline' ? started.error.code : 'not_offered'
  const { signWithPasskey } = await import('#components/form/second-factor/passkey-device.ts')
  const answer = await signWithPasskey(started.value)
  if (!answer) return 'unused'
  const refused = await callAction(async () => ({ ok: true as const, value: await passkeyAction(answer, next) }))
  return refused.ok ? refused.value.refusal : 'offline'
}
