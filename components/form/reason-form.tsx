import { type FormEvent, useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { TextField } from '#components/ui/field.tsx'
import { useT } from '#components/ui/translations.tsx'
import { ScriptForm } from './script-form.tsx'

type Props = {
  /** The id of the field. */
  id: string
  label: string
  hint?: string
  /** The initial value of the field. */
  suggestion?: string
  submitLabel: string
  isDanger?: boolean
  isBusy?: boolean
  /** Called with what is typed so far. */
  onTyped?: (text: string) => void
  onReason: (reason: string) => void
  onCancel: () => void
}

const REASON_MAX = 500

/** Asks in place for the reason of something, which is required. Dialogs use `form-dialog`. */
export function ReasonForm({
  id,
  label,
  hint,
  suggestion = '',
  submitLabel,
  isDanger = false,
  isBusy = false,
  onTyped,
  onReason,
  onCancel,
}: Props) {
  const t = useT()
  const [reason, setReason] = useState(suggestion)
  const [isChecked, setIsChecked] = useState(false)
  function submit(event: FormEvent) {
    event.preventDefault()
    setIsChecked(true)
    if (reason.trim() !== '') onReason(reason.trim())
  }
  return (
    <ScriptForm noValidate onSubmit={submit} className="grid max-w-lg gap-2.5">
      <TextField
        id={id}
        label={label}
        hint={hint}
        value={reason}
        onChange={(event) => {
          setReason(event.target.value)
          onTyped?.(event.target.value)
        }}
        error={isChecked && reason.trim() === '' ? t('form.field.required') : undefined}
        maxLength={REASON_MAX}
        autoComplete="off"
        autoFocus
      />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant={isDanger ? 'danger' : 'primary'} isBusy={isBusy}>
          {submitLabel}
        </Button>
        <Button disabled={isBusy} onClick={onCancel}>
          {t('ui.cancel')}
        </Button>
      </div>
    </ScriptForm>
  )
}
