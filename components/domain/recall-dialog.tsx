'use client'

import { useEffect, useState } from 'react'
import { useForm } from 'react-hook-form'
import { fieldProps } from '#components/form/field-props.ts'
import { FormDialog } from '#components/form/form-dialog.tsx'
import { TextField } from '#components/ui/field.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { callAction, refusalText } from '#lib/action-result.ts'
import type { ApprovalRow } from '#lib/approvals.ts'
import { formatAmount } from '#lib/format.ts'
import type { RecallAction } from './decision-text.ts'

const REFUSALS = {
  not_the_maker: 'approvals.recall.not_the_maker',
  not_waiting: 'approvals.recall.not_waiting',
  offline: 'action.offline',
} as const

/** Asks a maker why something that still waits is taken back. */
export default function RecallDialog({
  application,
  row,
  recall,
  onDone,
  onClose,
}: {
  application: string
  row: ApprovalRow
  recall: RecallAction
  onDone: () => void
  onClose: () => void
}) {
  const { t, locale } = useTranslations()
  const [error, setError] = useState<string | null>(null)
  const form = useForm({ defaultValues: { reason: '' } })
  const { setFocus } = form
  // The platform focuses the first button when the dialog opens; what a person wants is the field.
  useEffect(() => setFocus('reason'), [setFocus])
  const submit = form.handleSubmit(async ({ reason }) => {
    const answer = await callAction(() => recall(application, { transactionId: row.transactionId, reason }))
    if (answer.ok) return onDone()
    setError(refusalText(t, answer.error.code, REFUSALS))
  })
  return (
    <FormDialog
      title={t('approvals.recall.title')}
      submitLabel={t('approvals.recall.submit')}
      submitVariant="danger"
      isPending={form.formState.isSubmitting}
      error={error}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>
        <span className="text-amount font-strong tabular">{formatAmount(row.amount, locale)}</span>{' '}
        <span className="text-quiet">{row.currency}</span> · {row.customerName}
      </p>
      <TextField
        {...fieldProps(form, 'reason', t)}
        {...form.register('reason', {
          required: 'form.field.required',
          validate: (reason) => reason.trim() !== '' || 'form.field.required',
        })}
        label={t('approvals.dialog.reason')}
        hint={t('approvals.recall.hint')}
        maxLength={500}
        autoComplete="off"
      />
    </FormDialog>
  )
}
