import { useState, useTransition } from 'react'
import { toast } from '#components/ui/overlay/toast.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import type { MessageKey } from '#lib/i18n/translate.ts'
import { type ActionResult, callAction, refusalText } from '#lib/result.ts'

/** The messages of refusals that the actions of fundings return. */
const FUNDING_REFUSALS = {
  not_found: 'action.not_found',
  not_permitted: 'action.forbidden',
  unknown_application: 'action.not_found',
  no_second_person: 'funding.alone',
  reference_waiting: 'funding.referenceWaiting',
  reference_booked: 'funding.referenceBooked',
  balance_too_low: 'funding.balanceTooLow',
  proposer_gone: 'funding.proposerGone',
  not_open: 'funding.notOpen',
  own_proposal: 'funding.ownProposal',
  invalid_reason: 'funding.reasonMissing',
  offline: 'action.offline',
} as const

/** Runs an action about a funding: says what became of it and shows the list again. `asks`: takes a refusal that the person can answer. */
export function useFundingDecision<Failure extends keyof typeof FUNDING_REFUSALS>(onDone: () => void) {
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
