import { type FormEvent, useState } from 'react'
import { FormDialog } from '#components/form/form-dialog.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { Checkbox, TextField } from '#components/ui/field.tsx'
import { Link } from '#components/ui/link.tsx'
import { useT } from '#components/ui/translations.tsx'
import { paths } from '#lib/pages/paths.ts'
import { combinesRoles, ROLES, type Role } from '#lib/people/permissions.ts'
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
  const { propose, error, setError, isPending } = useProposal(application, onClose)
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const [email, name] = ['email', 'name'].map((field) => String(form.get(field) ?? '').trim())
    const roles = ROLES.filter((role) => form.get(role) === 'on')
    if (!email || !/^[^\s@]+@[^\s@]+$/.test(email) || !name) return setError(t('people.emailMissing'))
    if (roles.length === 0) return setError(t('people.roleMissing'))
    propose('person.invite', { email, name, roles })
  }
  return (
    <FormDialog
      title={t('people.invite')}
      submitLabel={t('change.propose')}
      isPending={isPending}
      error={error}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField id="invite-email" name="email" type="email" label={t('people.email')} autoComplete="off" required maxLength={320} />
      <TextField id="invite-name" name="name" label={t('people.name')} autoComplete="off" required maxLength={200} />
      <RoleBoxes />
      <p className="text-second text-quiet">{t('people.inviteText')}</p>
    </FormDialog>
  )
}

type RolesDialogProps = { application: string; person: EditedPerson; onClose: () => void }

/** Roles and membership of one person. */
export function RolesDialog({ application, person, onClose }: RolesDialogProps) {
  const t = useT()
  const { propose, isLeaving, error, setError, isPending } = useProposal(application, onClose)
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const roles = ROLES.filter((role) => form.get(role) === 'on')
    if (roles.length === 0) return setError(t('people.roleMissing'))
    const input = { personId: person.personId, roles, isActive: form.get('isActive') === 'on' }
    propose('person.roles', input, form.get('acknowledged') === 'on')
  }
  return (
    <FormDialog
      title={t('people.changeRolesOf', { name: person.name })}
      submitLabel={t('change.propose')}
      isPending={isPending}
      error={error}
      onSubmit={submit}
      onClose={onClose}
    >
      <RoleBoxes held={person.roles} />
      <Checkbox name="isActive" defaultChecked={person.isActive} label={t('people.isMember')} />
      {isLeaving && (
        <div className="grid gap-2">
          <Checkbox name="acknowledged" label={t('people.left.acknowledge')} />
          <Link href={paths.person(application, person.personId)} className="text-accent hover:underline">
            {t('change.whatWaits')}
          </Link>
        </div>
      )}
      <p className="text-second text-quiet">{t('change.afterwards')}</p>
    </FormDialog>
  )
}

type ResetDialogProps = { application: string; person: EditedPerson; onClose: () => void }

/** Proposes to switch off the second factor of a person who lost it. */
export function ResetDialog({ application, person, onClose }: ResetDialogProps) {
  const t = useT()
  const { propose, error, isPending } = useProposal(application, onClose)
  return (
    <FormDialog
      title={t('people.resetFactorOf', { name: person.name })}
      submitLabel={t('change.propose')}
      isPending={isPending}
      error={error}
      onSubmit={(event) => {
        event.preventDefault()
        propose('person.second_factor_reset', { personId: person.personId })
      }}
      onClose={onClose}
    >
      <p>{t('people.resetFactorText')}</p>
      <p className="text-second text-quiet">{t('change.afterwards')}</p>
    </FormDialog>
  )
}
