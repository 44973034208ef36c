import { FormDialog } from '#components/form/form-dialog.tsx'
import { useAction } from '#components/form/use-action.tsx'
import { Checkbox } from '#components/ui/field.tsx'
import { useT } from '#components/ui/translations.tsx'
import { isAnythingLeft, type LeftBehind } from '#lib/approvals/blocked-items.ts'
import { useProposal } from '../../../_components/changes/use-proposal.ts'
import { PERSON_REFUSALS } from '../../_components/person-words.ts'
import { suspendPerson } from '../../actions.ts'
import { type LeavingPerson, LeftList } from './left-list.tsx'

type Props = { application: string; person: LeavingPerson; left: LeftBehind; mode: 'remove' | 'suspend'; onClose: () => void }

/** Removes a person, or suspends the membership, after saying what would wait for nobody. */
export function LeaveDialog({ application, person, left, mode, onClose }: Props) {
  const t = useT()
  const { propose, isLeaving, error, setError, isPending } = useProposal(application, onClose)
  const { personId, name, roles } = person
  // The server knows of what was added since the page was shown.
  const mustKnow = isLeaving || isAnythingLeft(left)
  const suspension = useAction((acknowledged: boolean) => suspendPerson(application, { personId, acknowledged }), {
    words: PERSON_REFUSALS,
    said: () => t('people.suspendedNow'),
    refreshes: 'answered',
    onDone: onClose,
  })
  function submit(fields: FormData) {
    const acknowledged = fields.get('acknowledged') === 'on'
    if (mustKnow && !acknowledged) return setError(t('people.left.acknowledgeMissing'))
    if (mode === 'suspend') suspension.run(acknowledged)
    else propose('person.roles', { personId, roles, isActive: false }, acknowledged)
  }
  return (
    <FormDialog
      title={t(mode === 'suspend' ? 'people.suspendOf' : 'people.removeOf', { name })}
      submitLabel={t(mode === 'suspend' ? 'people.suspend' : 'change.propose')}
      submitVariant={mode === 'suspend' ? 'danger' : 'primary'}
      isPending={isPending || suspension.isPending}
      error={error ?? suspension.error}
      onSubmit={(_, fields) => submit(fields)}
      onClose={onClose}
    >
      <p>{t(mode === 'suspend' ? 'people.suspendText' : 'people.removeText')}</p>
      <LeftList t={t} application={application} left={left} />
      {mustKnow && <Checkbox name="acknowledged" label={t('people.left.acknowledge')} />}
      {mode === 'remove' && <p className="text-second text-quiet">{t('change.afterwards')}</p>}
    </FormDialog>
  )
}
