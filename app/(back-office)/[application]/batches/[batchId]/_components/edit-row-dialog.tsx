'use client'

import { useForm } from 'react-hook-form'
import { FormDialog } from '#components/form/form-dialog.tsx'
import { TextField } from '#components/ui/field.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import type { BatchRowDto } from '#lib/batch-dto.ts'
import { BATCH_FIELDS, type RowEdits } from '#lib/batch-file/batch-fields.ts'
import { problemText } from '#lib/batch-text.ts'
import { editRow } from '../../actions.ts'
import { useChange } from './use-change.ts'

type Props = { application: string; batchId: string; version: number; row: BatchRowDto; onClose: () => void }

/** Corrects one row. What is in the file stays in the file. A default export, because it is loaded on demand. */
export default function EditRowDialog({ application, batchId, version, row, onClose }: Props) {
  const words = useTranslations()
  const { t } = words
  const { change, error, isBusy } = useChange()
  const form = useForm({ defaultValues: row.typed })
  const submit = form.handleSubmit(async (typed) => {
    const fields: RowEdits = {}
    for (const field of BATCH_FIELDS) if (typed[field] !== row.typed[field]) fields[field] = typed[field]
    if (Object.keys(fields).length === 0) return onClose()
    if (await change(() => editRow(application, { batchId, version, rowNumber: row.rowNumber, fields }), t('batches.saved'))) onClose()
  })
  return (
    <FormDialog
      title={t('batches.editTitle', { row: row.rowNumber })}
      submitLabel={t('batches.save')}
      isPending={isBusy}
      error={error}
      onSubmit={(event) => void submit(event)}
      onClose={onClose}
    >
      {BATCH_FIELDS.map((field) => {
        const problem = row.problems.find((each) => each.field === field)
        return (
          <TextField
            key={field}
            id={`edit-${field}`}
            label={t(`batches.field.${field}`)}
            error={problem && problemText(words, problem)}
            maxLength={500}
            autoComplete="off"
            {...form.register(field)}
          />
        )
      })}
    </FormDialog>
  )
}
