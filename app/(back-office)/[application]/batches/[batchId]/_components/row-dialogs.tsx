import { useForm } from 'react-hook-form'
import { fieldProps } from '#components/form/field-props.ts'
import { FormDialog } from '#components/form/form-dialog.tsx'
import { TextField } from '#components/ui/field.tsx'
import { useT, useTranslations } from '#components/ui/translations.tsx'
import { BATCH_FIELDS, type RowEdits } from '#lib/batches/batch-fields.ts'
import { type BatchRowDto, problemText } from '#lib/batches/batches.ts'
import { editRow, excludeRows } from '../../actions.ts'
import { useChange } from './corrections.tsx'

type Props = { application: string; batchId: string; version: number; row: BatchRowDto; onClose: () => void }

/** Corrects one row. What is in the file stays in the file. A default export, because it is loaded on demand. */
export function EditRowDialog({ application, batchId, version, row, onClose }: Props) {
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
            label={t(`payment.field.${field}`)}
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

/** Leaves a row out, with a reason that stays with it. A default export, because it is loaded on demand. */
export function ExcludeRowDialog({ application, batchId, version, row, onClose }: Props) {
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
