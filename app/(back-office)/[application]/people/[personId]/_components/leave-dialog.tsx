import { type FormEvent, useTransition } from 'react'
import { FormDialog } from '#components/form/form-dialog.tsx'
import { Checkbox } from '#components/ui/field.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import { isAnythingLeft, type LeftBehind } from '#lib/approvals/blocked-items.ts'
import { callAction, refusalText } from '#lib/result.ts'
import { useProposal } from '../../../_components/changes/use-proposal.ts'
import { PERSON_REFUSALS } from '../../_components/person-words.ts'
import { suspendPerson } from '../../actions.ts'
import { type LeavingPerson, LeftList } from './left-list.tsx'

type Props = { application: string; person: LeavingPerson; left: LeftBehind; mode: 'remove' | 'suspend'; onClose: () => void }

/** Removes a person, or suspends the membership, after saying what would wait for nobody. */
export default function LeaveDialog({ application, person, left, mode, onClose }: Props) {
  const t = useT()
  const router = useRouter()
  const { propose, isLeaving, error, setError, isPending } = useProposal(application, onClose)
  const [isSuspending, startTransition] = useTransition()
  const { personId, name, roles } = person
  // The server knows of what was added since the page was shown.
  const mustKnow = isLeaving || isAnythingLeft(left)
  function suspend(acknowledged: boolean) {
    startTransition(async () => {
      const result = await callAction(() => suspendPerson(application, { personId, acknowledged }))
      if (!result.ok) {
        setError(refusalText(t, result.error.code, PERSON_REFUSALS))
        return router.refresh()
      }
      toast(t('people.suspendedNow'))
      onClose()
      router.refresh()
    })
  }
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const acknowledged = new FormData(event.currentTarget).get('acknowledged') === 'on'
    if (mustKnow && !acknowledged) return setError(t('people.left.acknowledgeMissing'))
    if (mode === 'suspend') suspend(acknowledged)
    else propose('person.roles', { personId, roles, isActive: false }, acknowledged)
  }
  return (
    <FormDialog
      title={t(mode === 'suspend' ? 'people.suspendOf' : 'people.removeOf', { name })}
      submitLabel={t(mode === 'suspend' ? 'people.suspend' : 'change.propose')}
      submitVariant={mode === 'suspend' ? 'danger' : 'primary'}
      isPending={isPending || isSuspending}
      error={error}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{t(mode === 'suspend' ? 'people.suspendText' : 'people.removeText')}</p>
      <LeftList t={t} application={application} left={left} />
      {mustKnow && <Checkbox name="acknowledged" label={t('people.left.acknowledge')} />}
      {mode === 'remove' && <p className="text-second text-quiet">{t('change.afterwards')}</p>}
    </FormDialog>
  )
}
