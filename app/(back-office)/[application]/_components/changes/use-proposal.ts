import { useRouter } from 'next/navigation'
import { useState, useTransition } from 'react'
import { toast } from '#components/ui/toast.tsx'
import { useT } from '#components/ui/translations.tsx'
import { callAction, refusalText } from '#lib/action-result.ts'
import type { ChangeKindName } from '#lib/proposed-change.ts'
import { proposeChange } from '../../../../actions/changes.ts'
import { CHANGE_REFUSALS } from './change-words.ts'

/** Proposes a change from a dialog, which closes once the proposal is stored. */
export function useProposal(application: string, onClose: () => void) {
  const t = useT()
  const router = useRouter()
  const [error, setError] = useState<string | null>(null)
  const [isPending, startTransition] = useTransition()
  function propose(kind: ChangeKindName, input: Record<string, unknown>): void {
    startTransition(async () => {
      const result = await callAction(() => proposeChange(application, { kind, input }))
      if (!result.ok) return setError(refusalText(t, result.error.code, CHANGE_REFUSALS))
      toast(t('change.proposedNow'))
      onClose()
      router.refresh()
    })
  }
  return { propose, error, setError, isPending }
}
