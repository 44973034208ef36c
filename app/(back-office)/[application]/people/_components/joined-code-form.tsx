'use client'

import { type FormEvent, useState, useTransition } from 'react'
import { ErrorNotice } from '#components/form/error-notice.tsx'
import { useFreshCode } from '#components/form/use-fresh-code.tsx'
import { Button } from '#components/ui/button.tsx'
import { TextField } from '#components/ui/field.tsx'
import { toast } from '#components/ui/toast.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import { callAction, refusalText } from '#lib/action-result.ts'
import { activateMember } from '../actions.ts'
import { PERSON_REFUSALS } from './person-words.ts'

type Props = { application: string; invitationId: string; name: string }

/** The code that a person who joined reads out to the proposer: it makes them a member. */
export function JoinedCodeForm({ application, invitationId, name }: Props) {
  const t = useT()
  const router = useRouter()
  const [error, setError] = useState<string | null>(null)
  const [isPending, startTransition] = useTransition()
  const freshCode = useFreshCode(isPending)
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const code = String(new FormData(event.currentTarget).get('code') ?? '').trim()
    if (code === '') return setError(t('people.codeMissing'))
    activate(code)
  }
  function activate(code: string, oneTimeCode?: string) {
    startTransition(async () => {
      const result = await callAction(() => activateMember(application, { invitationId, code, ...(oneTimeCode && { oneTimeCode }) }))
      if (!result.ok) {
        if (freshCode.asks(result.error.code, (entered) => activate(code, entered))) return
        setError(refusalText(t, result.error.code, PERSON_REFUSALS))
        if (result.error.code === 'too_many_codes') router.refresh()
        return
      }
      freshCode.accepted()
      toast(t('people.activatedNow', { name }))
      router.refresh()
    })
  }
  return (
    <>
      <form onSubmit={submit} className="grid gap-2">
        {error && <ErrorNotice error={error} />}
        <div className="flex flex-wrap items-end gap-2">
          <div className="w-44">
            <TextField
              id={`code-${invitationId}`}
              name="code"
              label={t('people.codeOf', { name })}
              autoComplete="off"
              autoCapitalize="characters"
              spellCheck={false}
              maxLength={20}
            />
          </div>
          <Button type="submit" variant="primary" isBusy={isPending}>
            {t('people.confirmCode')}
          </Button>
        </div>
      </form>
      {freshCode.dialog}
    </>
  )
}
