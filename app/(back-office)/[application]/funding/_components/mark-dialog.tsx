import { useState } from 'react'
import { FormDialog } from '#components/form/form-dialog.tsx'
import { useAction } from '#components/form/use-action.tsx'
import { Select, TextField } from '#components/ui/field.tsx'
import { useT } from '#components/ui/translations.tsx'
import { TRANSIT_STEPS, type TransitDto, type TransitStep } from '#lib/finance/treasury-dto.ts'
import { markTransit } from '../actions.ts'

export type MarkDialogProps = {
  application: string
  transit: Pick<TransitDto, 'ledger' | 'changeId' | 'marks'>
  today: string
  onClose: () => void
}

/** Says how far a withdrawal is: on which day, and how the operator or the bank names it. */
export function MarkDialog({ application, transit: { ledger, changeId, marks }, today, onClose }: MarkDialogProps) {
  const t = useT()
  const open = TRANSIT_STEPS.filter((step) => !marks.some((mark) => mark.step === step))
  const [step, setStep] = useState<TransitStep>(open[0] ?? 'arrived')
  const action = useAction((input: Parameters<typeof markTransit>[1]) => markTransit(application, input), {
    words: {
      not_found: 'action.not_found',
      not_permitted: 'action.forbidden',
      wrong_day: 'treasury.wrongDay',
      already_marked: 'treasury.alreadyMarked',
      no_correction: 'treasury.noCorrection',
    },
    said: () => t('treasury.marked'),
    refreshes: 'done',
    onDone: onClose,
  })
  function submit(form: FormData) {
    const [day, reference] = ['day', 'reference'].map((name) => String(form.get(name) ?? '').trim())
    if (!day || !reference) return action.setError(t('treasury.fieldMissing'))
    action.run({ ledgerId: ledger, changeId, step, day, reference })
  }
  return (
    <FormDialog
      title={t('treasury.mark')}
      submitLabel={t('treasury.mark')}
      isPending={action.isPending}
      error={action.error}
      onSubmit={(_, fields) => submit(fields)}
      onClose={onClose}
    >
      <Select
        id="mark-step"
        name="step"
        label={t('treasury.step')}
        value={step}
        onChange={({ target }) => setStep(open.find((each) => each === target.value) ?? step)}
      >
        {open.map((each) => (
          <option key={each} value={each}>
            {t(`treasury.step.${each}`)}
          </option>
        ))}
      </Select>
      <TextField id="mark-day" name="day" type="date" label={t('treasury.day')} defaultValue={today} />
      <TextField
        id="mark-reference"
        name="reference"
        label={t(step === 'returned' ? 'treasury.returnReference' : 'treasury.sideReference')}
        hint={step === 'returned' ? t('treasury.returnHint') : undefined}
        autoComplete="off"
        maxLength={100}
      />
    </FormDialog>
  )
}
