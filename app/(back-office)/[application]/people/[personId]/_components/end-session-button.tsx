'use client'

import { type ReactNode, useState, useTransition } from 'react'
import { ErrorNotice } from '#components/form/error-notice.tsx'
import { Button } from '#components/ui/button.tsx'
import { toast } from '#components/ui/toast.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import { callAction, refusalText } from '#lib/action-result.ts'
import { PERSON_REFUSALS } from '../../_components/person-words.ts'
import { endSessions } from '../../actions.ts'

type Props = { application: string; personId: string; sessionId: string | null; name: string; children: ReactNode }

/** Ends one session, or all of them (`sessionId`: null). */
export function EndSessionButton({ application, personId, sessionId, name, children }: Props) {
  const t = useT()
  const router = useRouter()
  const [error, setError] = useState<string | null>(null)
  const [isPending, startTransition] = useTransition()
  function end() {
    startTransition(async () => {
      const result = await callAction(() => endSessions(application, { personId, sessionId }))
      if (!result.ok) return setError(refusalText(t, result.error.code, PERSON_REFUSALS))
      toast(t('people.sessionEnded'))
      router.refresh()
    })
  }
  return (
    <>
      {error && <ErrorNotice error={error} />}
      <Button size="small" isBusy={isPending} aria-label={name} onClick={end}>
        {children}
      </Button>
    </>
  )
}
