'use client'

import type { FormEvent } from 'react'
import { FormDialog } from '#components/form/form-dialog.tsx'
import { Checkbox } from '#components/ui/field.tsx'
import { useT } from '#components/ui/translations.tsx'
import { ROLES, type Role } from '#lib/permissions.ts'
import { useProposal } from '../../_components/changes/use-proposal.ts'
import type { EditedPerson } from './edited-person.ts'

type Props = { application: string; person: EditedPerson; ownRoles: readonly Role[]; onClose: () => void }

/** Roles and membership of one person. A role that the administrator does not have can only be kept or taken away. */
export default function RolesDialog({ application, person, ownRoles, onClose }: Props) {
  const t = useT()
  const { propose, error, setError, isPending } = useProposal(application, onClose)
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const roles = ROLES.filter((role) => form.get(role) === 'on')
    if (roles.length === 0) return setError(t('people.roleMissing'))
    propose('person.roles', { personId: person.personId, roles, isActive: form.get('isActive') === 'on' })
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
      <fieldset className="grid gap-2">
        <legend className="mb-1 font-medium">{t('people.roles')}</legend>
        {ROLES.map((role) => {
          const isHeld = person.roles.includes(role)
          const mayGrant = isHeld || ownRoles.includes(role)
          return (
            <Checkbox
              key={role}
              name={role}
              defaultChecked={isHeld}
              disabled={!mayGrant}
              label={
                <>
                  {t(`role.${role}`)}
                  {!mayGrant && <span className="ml-1.5 text-second text-quiet">{t('people.notYourRole')}</span>}
                </>
              }
            />
          )
        })}
      </fieldset>
      <Checkbox name="isActive" defaultChecked={person.isActive} label={t('people.isMember')} />
      <p className="text-second text-quiet">{t('change.afterwards')}</p>
    </FormDialog>
  )
}
