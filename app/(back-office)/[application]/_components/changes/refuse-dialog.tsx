'use client'

import { type FormEvent, useState, useTransition } from 'react'
import { FormDialog } from '#components/form/form-dialog.tsx'
import { TextField } from '#components/ui/field.tsx'
import { toast } from '#components/ui/toast.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import { callAction, refusalText } from '#lib/action-result.ts'
import { refuseChange } from '../../../../actions/changes.ts'
import { CHANGE_REFUSALS } from './change-words.ts'

type Props = { application: string; changeId: string; onClose: () => void }

/** Refuses a proposed change, with a reason for the proposer. A default export, because it is loaded on demand. */
export default function RefuseDialog({ application, changeId, onClose }: Props) {
  const t = useT()
  const router = useRouter()
  const [error, setError] = useState<string | null>(null)
  const [isPending, startTransition] = useTransition()
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const reason = String(new FormData(event.currentTarget).get('reason') ?? '').trim()
    if (reason === '') return setError(t('change.reasonMissing'))
    startTransition(async () => {
      const result = await callAction(() => refuseChange(application, { changeId, reason }))
      if (!result.ok) return setError(refusalText(t, result.error.code, CHANGE_REFUSALS))
      toast(t('change.refusedNow'))
      onClose()
      router.refresh()
    })
  }
  return (
    <FormDialog
      title={t('change.refuseTitle')}
      submitLabel={t('change.refuse')}
      submitVariant="danger"
      isPending={isPending}
      error={error}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField id="change-reason" name="reason" label={t('change.reason')} hint={t('change.reasonHint')} required maxLength={500} />
    </FormDialog>
  )
}
