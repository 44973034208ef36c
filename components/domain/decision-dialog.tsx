'use client'

import { useEffect, useState } from 'react'
import { useForm } from 'react-hook-form'
import { fieldProps } from '#components/form/field-props.ts'
import { FormDialog } from '#components/form/form-dialog.tsx'
import { Button } from '#components/ui/button.tsx'
import { Notice } from '#components/ui/empty-state.tsx'
import { TextField } from '#components/ui/field.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { callAction, refusalText } from '#lib/action-result.ts'
import type { DecidedItem, DecisionResult } from '#lib/approvals.ts'
import { formatCount } from '#lib/format.ts'
import { paths } from '#lib/paths.ts'
import { ItemList } from './decision-items.tsx'
import { DecisionReport } from './decision-report.tsx'
import { type DecideAction, sumItems, sumsText } from './decision-text.ts'

export type DecisionDialogProps = {
  application: string
  decision: 'validated' | 'rejected'
  items: readonly DecidedItem[]
  /** How many fit where the list had to be cut; the same as the items otherwise. */
  total?: number
  decide: DecideAction
  /** Once, with one result for each item, when there is nothing more to read in the dialog. */
  onDone: (results: readonly DecisionResult[]) => void
  onClose: () => void
}

const REFUSALS = {
  code_required: 'approvals.code.required',
  wrong_code: 'approvals.code.wrong',
  code_throttled: 'approvals.code.throttled',
  second_factor_missing: 'approvals.refused.second_factor_missing',
  offline: 'action.offline',
} as const
const PRESETS = ['beneficiary', 'duplicate', 'amount', 'unauthorised', 'evidence'] as const
/** The note of the last decision of each kind, offered and never filled in by itself. Gone with the page. */
const lastNotes = new Map<DecisionDialogProps['decision'], string>()

/** Asks for the note, and for a fresh code where one of the items needs it; says then what became of each. */
export default function DecisionDialog(props: DecisionDialogProps) {
  const { application, decision, decide, onDone, onClose } = props
  const { t, locale } = useTranslations()
  const [error, setError] = useState<string | null>(null)
  const [items, setItems] = useState(props.items)
  const [results, setResults] = useState<readonly DecisionResult[] | null>(null)
  const form = useForm({ defaultValues: { note: '', code: '' } })
  const isValidation = decision === 'validated'
  const needsCode = isValidation && items.some((item) => item.needsCode)
  const [hasFactor, setHasFactor] = useState(true)
  const isWithoutFactor = (item: DecidedItem) => item.canApprove === 'second_factor_missing' || (item.needsCode && !hasFactor)
  const codeless = isValidation ? items.filter(isWithoutFactor) : []
  const sums = sumItems(items)
  const lastNote = lastNotes.get(decision)

  const { setFocus } = form
  // The platform focuses the first button when the dialog opens; what a person wants is the field.
  useEffect(() => setFocus('note'), [setFocus])

  function leaveOut() {
    setError(null)
    setItems(items.filter((item) => !codeless.includes(item)))
  }

  const submit = form.handleSubmit(async ({ note, code }) => {
    setError(null)
    const list = items.map(({ transactionId, contentHash }) => ({ transactionId, contentHash }))
    const answer = await callAction(() => decide(application, { decision, note, items: list, ...(needsCode ? { code } : {}) }))
    if (!answer.ok) {
      form.setValue('code', '')
      if (answer.error.code === 'second_factor_missing') setHasFactor(false)
      else if (needsCode) form.setFocus('code')
      return setError(refusalText(t, answer.error.code, REFUSALS))
    }
    lastNotes.set(decision, note.trim())
    if (items.length === 1 && answer.value[0]?.kind === 'done') return onDone(answer.value)
    setResults(answer.value)
  })

  if (results) return <DecisionReport items={items} results={results} decision={decision} onClose={() => onDone(results)} />
  const verb = t(isValidation ? 'approvals.validate' : 'approvals.reject')
  const isOne = items.length === 1
  return (
    <FormDialog
      title={t(isValidation ? 'approvals.dialog.validateTitle' : 'approvals.dialog.rejectTitle', { count: items.length })}
      submitLabel={isOne ? verb : `${verb} ${formatCount(items.length, locale)} · ${sumsText(sums, locale)}`}
      submitVariant={isValidation ? 'primary' : 'danger'}
      isPending={form.formState.isSubmitting}
      error={error}
      onSubmit={submit}
      onClose={onClose}
    >
      {codeless.length > 0 && (
        <WithoutFactor
          application={application}
          count={codeless.length}
          {...(codeless.length < items.length ? { onLeaveOut: leaveOut } : {})}
        />
      )}
      <ItemList items={items} total={items.length + (props.total ?? props.items.length) - props.items.length} />
      <TextField
        {...fieldProps(form, 'note', t)}
        {...form.register('note', { required: 'form.field.required', validate: (note) => note.trim() !== '' || 'form.field.required' })}
        // The accessible name is the API's term for this field.
        aria-label={isValidation ? t('approvals.note.spec') : undefined}
        label={t(isValidation ? 'approvals.dialog.payeeNote' : 'approvals.dialog.reason')}
        hint={t(isValidation ? 'approvals.dialog.payeeNoteHint' : 'approvals.dialog.reasonHint')}
        maxLength={500}
        autoComplete="off"
      />
      <div className="-mt-2 flex flex-wrap gap-1.5 empty:hidden">
        {!isValidation &&
          PRESETS.map((preset) => (
            <Button
              key={preset}
              size="small"
              onClick={() => form.setValue('note', t(`approvals.preset.${preset}`), { shouldValidate: true })}
            >
              {t(`approvals.preset.${preset}`)}
            </Button>
          ))}
        {lastNote && (
          <Button size="small" onClick={() => form.setValue('note', lastNote, { shouldValidate: true })}>
            {t('approvals.dialog.sameNote', { note: lastNote.length > 40 ? `${lastNote.slice(0, 40)}…` : lastNote })}
          </Button>
        )}
      </div>
      {needsCode && codeless.length === 0 && (
        <TextField
          {...fieldProps(form, 'code', t)}
          {...form.register('code', { required: 'form.field.required' })}
          label={t('approvals.code.label')}
          hint={t('approvals.code.hint', { count: items.length })}
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={7}
          className="max-w-36 tabular"
        />
      )}
    </FormDialog>
  )
}

/** Some of the list ask for a code that this person has no device for: where to get one, and how to go on without them. */
function WithoutFactor({ application, count, onLeaveOut }: { application: string; count: number; onLeaveOut?: () => void }) {
  const { t } = useTranslations()
  return (
    <Notice tone="wait">
      {t('approvals.code.missing', { count })}{' '}
      <a href={paths.enrol(paths.approvals(application))} className="underline">
        {t('approvals.code.enrol')}
      </a>
      {onLeaveOut && (
        <>
          {' · '}
          <button type="button" onClick={onLeaveOut} className="underline">
            {t('approvals.code.leaveOut', { count })}
          </button>
        </>
      )}
    </Notice>
  )
}
