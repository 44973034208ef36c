import { type FormEvent, useState } from 'react'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { Checkbox, TextField } from '#components/ui/field.tsx'
import { Link } from '#components/ui/link.tsx'
import { useT } from '#components/ui/translations.tsx'
import { paths } from '#lib/pages/paths.ts'
import { combinesRoles, ROLES, type Role } from '#lib/people/permissions.ts'
import { ProposalDialog } from '../../_components/changes/proposal-dialog.tsx'
import { useProposal } from '../../_components/changes/use-proposal.ts'
import type { EditedPerson } from './person-words.ts'

/** The roles of a person, one field per role, named like the role. `held`: those that the person has already. */
function RoleBoxes({ held = [] }: { held?: readonly Role[] }) {
  const t = useT()
  const [isCombined, setIsCombined] = useState(combinesRoles(held))
  function note(event: FormEvent<HTMLFieldSetElement>) {
    const boxes = [...event.currentTarget.querySelectorAll<HTMLInputElement>('input:checked')]
    setIsCombined(combinesRoles(boxes.map(({ name }) => name)))
  }
  return (
    <fieldset className="grid gap-2" onChange={note}>
      <legend className="mb-1 font-medium">{t('people.roles')}</legend>
      {ROLES.map((role) => (
        <Checkbox key={role} name={role} defaultChecked={held.includes(role)} label={t(`role.${role}`)} />
      ))}
      {isCombined && <Notice tone="wait">{t('change.combinesRoles')}</Notice>}
    </fieldset>
  )
}

type Props = { application: string; onClose: () => void }

/** Proposes a new person with their roles. */
export function InviteDialog({ application, onClose }: Props) {
  const t = useT()
  const proposal = useProposal(application, onClose)
  const { propose, setError } = proposal
  function submit(form: FormData) {
    const [email, name] = ['email', 'name'].map((field) => String(form.get(field) ?? '').trim())
    const roles = ROLES.filter((role) => form.get(role) === 'on')
    if (!email || !/^[^\s@]+@[^\s@]+$/.test(email) || !name) return setError(t('people.emailMissing'))
    if (roles.length === 0) return setError(t('people.roleMissing'))
    propose('person.invite', { email, name, roles })
  }
  return (
    <ProposalDialog title={t('people.invite')} proposal={proposal} onSubmit={submit} afterwards={t('people.inviteText')} onClose={onClose}>
      <TextField id="invite-email" name="email" type="email" label={t('people.email')} autoComplete="off" required maxLength={320} />
      <TextField id="invite-name" name="name" label={t('people.name')} autoComplete="off" required maxLength={200} />
      <RoleBoxes />
    </ProposalDialog>
  )
}

type RolesDialogProps = { application: string; person: EditedPerson; onClose: () => void }

/** Roles and membership of one person. */
export function RolesDialog({ application, person, onClose }: RolesDialogProps) {
  const t = useT()
  const proposal = useProposal(application, onClose)
  function submit(form: FormData) {
    const roles = ROLES.filter((role) => form.get(role) === 'on')
    if (roles.length === 0) return proposal.setError(t('people.roleMissing'))
    const input = { personId: person.personId, roles, isActive: form.get('isActive') === 'on' }
    proposal.propose('person.roles', input, form.get('acknowledged') === 'on')
  }
  return (
    <ProposalDialog title={t('people.changeRolesOf', { name: person.name })} proposal={proposal} onSubmit={submit} onClose={onClose}>
      <RoleBoxes held={person.roles} />
      <Checkbox name="isActive" defaultChecked={person.isActive} label={t('people.isMember')} />
      {proposal.isLeaving && (
        <div className="grid gap-2">
          <Checkbox name="acknowledged" label={t('people.left.acknowledge')} />
          <Link href={paths.person(application, person.personId)} className="text-accent hover:underline">
            {t('change.whatWaits')}
          </Link>
        </div>
      )}
    </ProposalDialog>
  )
}
