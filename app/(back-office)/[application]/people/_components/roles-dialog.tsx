'use client'

import type { FormEvent } from 'react'
import { FormDialog } from '#components/form/form-dialog.tsx'
import { Checkbox } from '#components/ui/field.tsx'
import { Link } from '#components/ui/link.tsx'
import { useT } from '#components/ui/translations.tsx'
import { paths } from '#lib/paths.ts'
import { ROLES } from '#lib/permissions.ts'
import { useProposal } from '../../_components/changes/use-proposal.ts'
import type { EditedPerson } from './edited-person.ts'
import { RoleBoxes } from './role-boxes.tsx'

type Props = { application: string; person: EditedPerson; onClose: () => void }

/** Roles and membership of one person. */
export default function RolesDialog({ application, person, onClose }: Props) {
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
