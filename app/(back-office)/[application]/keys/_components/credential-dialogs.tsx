import { FormDialog } from '#components/form/form-dialog.tsx'
import { useAction } from '#components/form/use-action.tsx'
import { Checkbox, TextField } from '#components/ui/field.tsx'
import { useT } from '#components/ui/translations.tsx'
import { API_SCOPES } from '#lib/partner/api-scopes.ts'
import { ProposalDialog } from '../../_components/changes/proposal-dialog.tsx'
import { useProposal } from '../../_components/changes/use-proposal.ts'
import { blockApiUser, revokeKey } from '../actions.ts'

type Props = { application: string; form: 'key' | 'user' | 'address'; network: string; onClose: () => void }

const KINDS = { key: 'key.create', user: 'api_user.create', address: 'address.allow' } as const
const TITLES = { key: 'credentials.newKey', user: 'credentials.newUser', address: 'credentials.newAddress' } as const

/** Proposes a key, an API user or an address. */
export function ProposeDialog({ application, form, network, onClose }: Props) {
  const t = useT()
  const proposal = useProposal(application, onClose)
  const { propose, setError } = proposal
  function submit(fields: FormData) {
    const textOf = (name: string) => String(fields.get(name) ?? '').trim()
    if (form === 'key') {
      if (textOf('name') === '') return setError(t('credentials.nameMissing'))
      const scopes = API_SCOPES.filter((scope) => fields.has(scope))
      // All of them is no limit: the key may then do what later versions add too.
      if (scopes.length === 0) return setError(t('credentials.scopesMissing'))
      return propose(KINDS.key, { name: textOf('name'), ...(scopes.length < API_SCOPES.length && { scopes }) })
    }
    if (form === 'user') {
      if (!/^\S{3,320}$/.test(textOf('username'))) return setError(t('credentials.usernameWrong'))
      return propose(KINDS.user, { username: textOf('username') })
    }
    if (textOf('network') === '') return setError(t('credentials.networkMissing'))
    propose(KINDS.address, { network: textOf('network'), note: textOf('note') })
  }
  return (
    <ProposalDialog
      title={t(TITLES[form])}
      proposal={proposal}
      onSubmit={submit}
      {...(form !== 'address' && { afterwards: t('credentials.collectAfterwards') })}
      onClose={onClose}
    >
      {form === 'key' && (
        <>
          <TextField id="key-name" name="name" label={t('credentials.name')} hint={t('credentials.nameHint')} required maxLength={200} />
          <fieldset className="grid gap-1.5">
            <legend className="mb-1 font-medium">{t('credentials.scopes')}</legend>
            {API_SCOPES.map((scope) => (
              <Checkbox key={scope} name={scope} label={t(`credentials.scope.${scope}`)} defaultChecked />
            ))}
          </fieldset>
        </>
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
    </ProposalDialog>
  )
}

type Ended = { kind: 'key'; apiKeyId: string; name: string } | { kind: 'user'; apiUserId: string; name: string }
type EndDialogProps = { application: string; what: Ended; onClose: () => void }

/** Revokes a key or blocks an API user, after a confirmation. */
export function EndDialog({ application, what, onClose }: EndDialogProps) {
  const t = useT()
  const isKey = what.kind === 'key'
  const { run, isPending, error } = useAction(
    () => (isKey ? revokeKey(application, { apiKeyId: what.apiKeyId }) : blockApiUser(application, { apiUserId: what.apiUserId })),
    {
      words: isKey ? { not_found: 'credentials.keyEnded' } : {},
      said: () => t(isKey ? 'credentials.revokedNow' : 'credentials.blockedNow'),
      refreshes: 'done',
      onDone: onClose,
    },
  )
  return (
    <FormDialog
      title={t(isKey ? 'credentials.revokeKey' : 'credentials.blockUser', { name: what.name })}
      submitLabel={t(isKey ? 'credentials.revoke' : 'credentials.block')}
      submitVariant="danger"
      isPending={isPending}
      error={error}
      onSubmit={() => run()}
      onClose={onClose}
    >
      <p>{t(isKey ? 'credentials.revokeText' : 'credentials.blockText')}</p>
    </FormDialog>
  )
}
