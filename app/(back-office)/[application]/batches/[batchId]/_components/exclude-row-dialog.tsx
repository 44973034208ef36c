'use client'

import { useForm } from 'react-hook-form'
import { fieldProps } from '#components/form/field-props.ts'
import { FormDialog } from '#components/form/form-dialog.tsx'
import { TextField } from '#components/ui/field.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { BatchRowDto } from '#lib/batch-dto.ts'
import { excludeRows } from '../../actions.ts'
import { useChange } from './use-change.ts'

type Props = { application: string; batchId: string; version: number; row: BatchRowDto; onClose: () => void }

/** Leaves a row out, with a reason that stays with it. A default export, because it is loaded on demand. */
export default function ExcludeRowDialog({ application, batchId, version, row, onClose }: Props) {
  const t = useT()
  const { change, error, isBusy } = useChange()
  const form = useForm({ defaultValues: { reason: '' } })
  const submit = form.handleSubmit(async ({ reason }) => {
    const input = { batchId, version, rowNumbers: [row.rowNumber], reason: reason.trim() }
    if (await change(() => excludeRows(application, input), t('batches.excluded'))) onClose()
  })
  return (
    <FormDialog
      title={t('batches.excludeTitle', { row: row.rowNumber })}
      submitLabel={t('batches.exclude')}
      isPending={isBusy}
      error={error}
      onSubmit={(event) => void submit(event)}
      onClose={onClose}
    >
      <TextField
        {...fieldProps(form, 'reason', t)}
        {...form.register('reason', { validate: (reason) => reason.trim() !== '' || 'form.field.required' })}
        label={t('batches.excludeReason')}
        maxLength={500}
      />
    </FormDialog>
  )
}
