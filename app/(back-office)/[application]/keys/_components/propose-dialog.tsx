'use client'

import type { FormEvent } from 'react'
import { FormDialog } from '#components/form/form-dialog.tsx'
import { TextField } from '#components/ui/field.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useProposal } from '../../_components/changes/use-proposal.ts'

type Props = { application: string; form: 'key' | 'user' | 'address'; network: string; onClose: () => void }

const KINDS = { key: 'key.create', user: 'api_user.create', address: 'address.allow' } as const
const TITLES = { key: 'credentials.newKey', user: 'credentials.newUser', address: 'credentials.newAddress' } as const

/** Proposes a key, an API user or an address. */
export default function ProposeDialog({ application, form, network, onClose }: Props) {
  const t = useT()
  const { propose, error, setError, isPending } = useProposal(application, onClose)
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    const textOf = (name: string) => String(fields.get(name) ?? '').trim()
    if (form === 'key') {
      if (textOf('name') === '') return setError(t('credentials.nameMissing'))
      return propose(KINDS.key, { name: textOf('name') })
    }
    if (form === 'user') {
      if (!/^\S{3,320}$/.test(textOf('username'))) return setError(t('credentials.usernameWrong'))
      return propose(KINDS.user, { username: textOf('username') })
    }
    if (textOf('network') === '') return setError(t('credentials.networkMissing'))
    propose(KINDS.address, { network: textOf('network'), note: textOf('note') })
  }
  return (
    <FormDialog
      title={t(TITLES[form])}
      submitLabel={t('change.propose')}
      isPending={isPending}
      error={error}
      onSubmit={submit}
      onClose={onClose}
    >
      {form === 'key' && (
        <TextField id="key-name" name="name" label={t('credentials.name')} hint={t('credentials.nameHint')} required maxLength={200} />
      )}
      {form === 'user' && (
        <TextField
          id="user-name"
          name="username"
          label={t('credentials.username')}
          hint={t('credentials.usernameHint')}
          autoComplete="off"
          required
          maxLength={320}
        />
      )}
      {form === 'address' && (
        <>
          <TextField
            id="address-network"
            name="network"
            label={t('credentials.network')}
            hint={t('credentials.networkHint')}
            defaultValue={network}
            autoComplete="off"
            required
            maxLength={60}
          />
          <TextField id="address-note" name="note" label={t('credentials.note')} maxLength={200} />
        </>
      )}
      <p className="text-second text-quiet">{t(form === 'address' ? 'change.afterwards' : 'credentials.collectAfterwards')}</p>
    </FormDialog>
  )
}
