import { startTransition } from 'react'
import { useForm } from 'react-hook-form'
import { OperatorOptions } from '#components/domain/operator-mark.tsx'
import { fieldProps } from '#components/form/field-props.ts'
import { FormDialog } from '#components/form/form-dialog.tsx'
import { useAction } from '#components/form/use-action.tsx'
import { Select, TextField } from '#components/ui/field.tsx'
import { useT, useTranslations } from '#components/ui/translations.tsx'
import { BATCH_FIELDS, type RowEdits } from '#lib/batches/batch-fields.ts'
import { type BatchRowDto, problemText } from '#lib/batches/batches.ts'
import { isOperatorCode } from '#lib/operators/operators.ts'
import { editRows, excludeRows } from '../../actions.ts'
import { BATCH_CHANGE } from './corrections.tsx'

type Props = { application: string; batchId: string; version: number; row: BatchRowDto; onClose: () => void }

/**
 * Closes together with the refreshed page, not before: a press right after it would send the version from before this change, and be told that
 * somebody else had changed the batch.
 */
const closeRefreshed = (onClose: () => void) => () => startTransition(onClose)

/** Corrects one row. What is in the file stays in the file. */
export function EditRowDialog({ application, batchId, version, row, onClose }: Props) {
  const words = useTranslations()
  const { t } = words
  const { run, isPending, error } = useAction(
    (fields: RowEdits) => editRows(application, { batchId, version, rows: [{ rowNumber: row.rowNumber, fields }] }),
    { ...BATCH_CHANGE, said: () => t('batches.saved', { row: row.rowNumber }), onDone: closeRefreshed(onClose) },
  )
  function submit(fields: FormData) {
    const edits: RowEdits = {}
    for (const field of BATCH_FIELDS) {
      const typed = String(fields.get(field) ?? '')
      if (typed !== row.typed[field]) edits[field] = typed
    }
    if (Object.keys(edits).length === 0) onClose()
    else run(edits)
  }
  return (
    <FormDialog
      title={t('batches.editTitle', { row: row.rowNumber })}
      submitLabel={t('batches.save')}
      isPending={isPending}
      error={error}
      onSubmit={(_, fields) => submit(fields)}
      onClose={onClose}
    >
      {BATCH_FIELDS.map((field) => {
        const problem = row.problems.find((each) => each.field === field)
        if (field === 'operator')
          return (
            <Select
              key={field}
              id={`edit-${field}`}
              name={field}
              label={t(`payment.field.${field}`)}
              error={problem && problemText(words, problem)}
              defaultValue={row.typed[field]}
            >
              {/* The file's own text, which may be a name, remains a choice. */}
              {!isOperatorCode(row.typed[field]) && <option value={row.typed[field]}>{row.typed[field] || t('payment.choose')}</option>}
              <OperatorOptions />
            </Select>
          )
        return (
          <TextField
            key={field}
            id={`edit-${field}`}
            label={t(`payment.field.${field}`)}
            error={problem && problemText(words, problem)}
            maxLength={500}
            autoComplete="off"
            name={field}
            defaultValue={row.typed[field]}
          />
        )
      })}
    </FormDialog>
  )
}

/** Leaves a row out, with a reason that stays with it. */
export function ExcludeRowDialog({ application, batchId, version, row, onClose }: Props) {
  const t = useT()
  const { run, isPending, error } = useAction(
    (reason: string) => excludeRows(application, { batchId, version, rowNumbers: [row.rowNumber], reason }),
    { ...BATCH_CHANGE, said: () => t('batches.excluded', { row: row.rowNumber }), onDone: closeRefreshed(onClose) },
  )
  const form = useForm({ defaultValues: { reason: '' } })
  return (
    <FormDialog
      title={t('batches.excludeTitle', { row: row.rowNumber })}
      submitLabel={t('batches.exclude')}
      isPending={isPending}
      error={error}
      onSubmit={form.handleSubmit(({ reason }) => run(reason.trim()))}
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
