import { type FormEvent, useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { TextField } from '#components/ui/field.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { instantIn, localIn, zoneWords } from '#lib/time/format-time.ts'
import { ScriptForm } from './script-form.tsx'

type FieldProps = { id: string; value: string; hint: string; error?: string | undefined; onChange: (local: string) => void }

/** When a batch is sent, as a local time of the application's business time zone, which the label names. */
export function ReleaseField({ id, value, hint, error, onChange }: FieldProps) {
  const { t, businessZone } = useTranslations()
  return (
    <TextField
      id={id}
      type="datetime-local"
      className="max-w-60"
      label={t('batch.release.field', { zone: zoneWords(t, businessZone) })}
      hint={hint}
      value={value}
      error={error}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}

type FormProps = { at: string | null; isBusy: boolean; onTime: (at: string) => void; onCancel: () => void }

/** Asks in place for another time, which the server checks. */
export function ReleaseForm({ at, isBusy, onTime, onCancel }: FormProps) {
  const { t, businessZone } = useTranslations()
  const [local, setLocal] = useState(at === null ? '' : localIn(businessZone, new Date(at)))
  const [isWrong, setIsWrong] = useState(false)
  function submit(event: FormEvent) {
    event.preventDefault()
    const instant = instantIn(businessZone, local)
    setIsWrong(!instant)
    if (instant) onTime(instant.toISOString())
  }
  return (
    <ScriptForm noValidate onSubmit={submit} className="grid max-w-lg gap-2.5">
      <ReleaseField
        id="field-release"
        value={local}
        hint={t('batch.release.limit')}
        error={isWrong ? t('batch.refused.wrong_time') : undefined}
        onChange={setLocal}
      />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" isBusy={isBusy}>
          {t('batch.run.plan')}
        </Button>
        <Button disabled={isBusy} onClick={onCancel}>
          {t('ui.cancel')}
        </Button>
      </div>
    </ScriptForm>
  )
}
