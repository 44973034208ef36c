'use client'

import type { FormEvent } from 'react'
import { FormDialog } from '#components/form/form-dialog.tsx'
import { TextField } from '#components/ui/field.tsx'
import { useT } from '#components/ui/translations.tsx'
import { ROLES } from '#lib/permissions.ts'
import { useProposal } from '../../_components/changes/use-proposal.ts'
import { RoleBoxes } from './role-boxes.tsx'

type Props = { application: string; onClose: () => void }

/** Proposes a new person with their roles. */
export default function InviteDialog({ application, onClose }: Props) {
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
