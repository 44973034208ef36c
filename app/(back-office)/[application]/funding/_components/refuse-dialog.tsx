'use client'

import { FormDialog } from '#components/form/form-dialog.tsx'
import { TextField } from '#components/ui/field.tsx'
import { useT } from '#components/ui/translations.tsx'
import { refuseFunding } from '../actions.ts'
import { useDecision } from './use-decision.ts'

type Props = { application: string; fundingId: string; onClose: () => void }

/** Refuses a funding, with a reason for the proposer. A default export, because it is loaded on demand. */
export default function RefuseDialog({ application, fundingId, onClose }: Props) {
  const t = useT()
  const { run, error, setError, isPending } = useDecision(onClose)
  return (
    <FormDialog
      title={t('funding.refuseTitle')}
      submitLabel={t('funding.refuse')}
      submitVariant="danger"
      isPending={isPending}
      error={error}
      onSubmit={(event) => {
        event.preventDefault()
        const reason = String(new FormData(event.currentTarget).get('reason') ?? '').trim()
        if (reason === '') return setError(t('funding.reasonMissing'))
        run(() => refuseFunding(application, { fundingId, reason }), 'funding.refusedNow')
      }}
      onClose={onClose}
    >
      <TextField id="funding-reason" name="reason" label={t('funding.reason')} hint={t('funding.reasonHint')} required maxLength={500} />
    </FormDialog>
  )
}
