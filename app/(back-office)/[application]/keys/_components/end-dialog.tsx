'use client'

import { useState, useTransition } from 'react'
import { FormDialog } from '#components/form/form-dialog.tsx'
import { toast } from '#components/ui/toast.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import { callAction, refusalText } from '#lib/action-result.ts'
import { blockApiUser, revokeKey } from '../actions.ts'

type Ended = { kind: 'key'; apiKeyId: string; name: string } | { kind: 'user'; apiUserId: string; name: string }
type Props = { application: string; what: Ended; onClose: () => void }

const REFUSALS = {
  not_permitted: 'action.forbidden',
  offline: 'action.offline',
} as const

/** Revokes a key or blocks an API user, after a confirmation. */
export default function EndDialog({ application, what, onClose }: Props) {
  const t = useT()
  const router = useRouter()
  const [error, setError] = useState<string | null>(null)
  const [isPending, startTransition] = useTransition()
  const isKey = what.kind === 'key'
  function end() {
    startTransition(async () => {
      const result = isKey
        ? await callAction(() => revokeKey(application, { apiKeyId: what.apiKeyId }))
        : await callAction(() => blockApiUser(application, { apiUserId: what.apiUserId }))
      if (!result.ok)
        return setError(
          result.error.code === 'not_found' && isKey ? t('credentials.keyEnded') : refusalText(t, result.error.code, REFUSALS),
        )
      toast(t(isKey ? 'credentials.revokedNow' : 'credentials.blockedNow'))
      onClose()
      router.refresh()
    })
  }
  return (
    <FormDialog
      title={t(isKey ? 'credentials.revokeKey' : 'credentials.blockUser', { name: what.name })}
      submitLabel={t(isKey ? 'credentials.revoke' : 'credentials.block')}
      submitVariant="danger"
      isPending={isPending}
      error={error}
      onSubmit={(event) => {
        event.preventDefault()
        end()
      }}
      onClose={onClose}
    >
      <p>{t(isKey ? 'credentials.revokeText' : 'credentials.blockText')}</p>
    </FormDialog>
  )
}
