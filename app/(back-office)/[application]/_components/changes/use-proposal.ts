import { useState, useTransition } from 'react'
import { toast } from '#components/ui/overlay/toast.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import type { ChangeKindName } from '#lib/approvals/proposed-change.ts'
import { callAction, refusalText } from '#lib/result.ts'
import { proposeChange } from '../../../../actions/changes.ts'

/** The messages of refusals that the actions of proposed changes return. */
export const CHANGE_REFUSALS = {
  invalid: 'action.invalid',
  not_found: 'action.not_found',
  not_permitted: 'action.forbidden',
  unknown_application: 'action.not_found',
  about_you: 'change.aboutYou',
  no_second_person: 'change.noSecondPerson',
  already_proposed: 'change.alreadyProposed',
  no_difference: 'change.noDifference',
  refused: 'change.refusedByRule',
  not_open: 'change.notOpen',
  own_proposal: 'change.ownProposal',
  changed_meanwhile: 'change.changedMeanwhile',
  proposer_gone: 'change.proposerGone',
  already_member: 'change.alreadyMember',
  already_invited: 'change.alreadyInvited',
  works_elsewhere: 'change.worksElsewhere',
  combined_roles: 'change.combinedRoles',
  items_waiting: 'change.itemsWaiting',
  not_collectable: 'change.notCollectable',
  confirmation_ended: 'change.confirmationEnded',
  invalid_reason: 'change.reasonMissing',
  offline: 'action.offline',
} as const

/** Proposes a change from a dialog, which closes once the proposal is stored. */
export function useProposal(application: string, onClose: () => void) {
  const t = useT()
  const router = useRouter()
  const [error, setError] = useState<string | null>(null)
  const [isPending, startTransition] = useTransition()
  const [isLeaving, setIsLeaving] = useState(false)
  function propose(kind: ChangeKindName, input: Record<string, unknown>, acknowledged = false): void {
    startTransition(async () => {
      const result = await callAction(() => proposeChange(application, { kind, input, acknowledged }))
      if (!result.ok) {
        setIsLeaving((current) => current || result.error.code === 'items_waiting')
        return setError(refusalText(t, result.error.code, CHANGE_REFUSALS))
      }
      toast(t('change.proposedNow'))
      onClose()
      router.refresh()
    })
  }
  /** `isLeaving`: something would wait for nobody, which has to be acknowledged. */
  return { propose, isLeaving, error, setError, isPending }
}
