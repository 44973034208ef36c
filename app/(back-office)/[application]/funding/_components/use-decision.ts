import { useState, useTransition } from 'react'
import { toast } from '#components/ui/toast.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import { type ActionResult, callAction, refusalText } from '#lib/action-result.ts'
import type { MessageKey } from '#lib/i18n/translate.ts'
import { FUNDING_REFUSALS } from './funding-words.ts'

/** Runs an action about a funding: says what became of it and shows the list again. `asks`: takes a refusal that the person can answer. */
export function useDecision<Failure extends keyof typeof FUNDING_REFUSALS>(onDone: () => void) {
  const t = useT()
  const router = useRouter()
  const [error, setError] = useState<string | null>(null)
  const [isPending, startTransition] = useTransition()
  function run(action: () => Promise<ActionResult<null, Failure>>, done: MessageKey, asks?: (refusal: string) => boolean): void {
    startTransition(async () => {
      const result = await callAction(action)
      if (!result.ok) {
        if (!asks?.(result.error.code)) setError(refusalText(t, result.error.code, FUNDING_REFUSALS))
        return
      }
      toast(t(done))
      onDone()
      router.refresh()
    })
  }
  return { run, error, setError, isPending }
}
