import { useState } from 'react'
import { useAction } from '#components/form/use-action.tsx'
import { useT } from '#components/ui/translations.tsx'
import { CHANGE_REFUSALS } from '#lib/approvals/change-refusals.ts'
import type { ChangeKindName } from '#lib/approvals/proposed-change.ts'
import { proposeChange } from '../../../../actions/changes.ts'

/** Proposes changes from a dialog or a button; `onDone` is called once the proposal is stored. */
export function useProposal(application: string, onDone: () => void) {
  const t = useT()
  const [isLeaving, setIsLeaving] = useState(false)
  const { run, error, setError, isPending, refusal } = useAction(
    (kind: ChangeKindName, input: Record<string, unknown>, acknowledged?: boolean) =>
      proposeChange(application, { kind, input, acknowledged: acknowledged === true }),
    {
      words: CHANGE_REFUSALS,
      said: () => t('change.proposedNow'),
      refreshes: 'done',
      onDone,
      onRefused: (code) => code === 'items_waiting' && setIsLeaving(true),
    },
  )
  /** `isLeaving`: something would wait for nobody, which has to be acknowledged. `problems`: of fields, by their path. */
  return { propose: run, error, setError, isPending, isLeaving, problems: refusal?.fields ?? {} }
}
