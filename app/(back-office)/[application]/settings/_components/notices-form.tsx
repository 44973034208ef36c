'use client'

import type { FormEvent } from 'react'
import { ErrorNotice } from '#components/form/error-notice.tsx'
import { useAction } from '#components/form/use-action.tsx'
import { Button } from '#components/ui/button.tsx'
import { Select } from '#components/ui/field.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { changeNotices } from '../actions.ts'

type Props = {
  application: string
  causes: readonly { cause: string; label: string; delivery: string }[]
  deliveries: readonly { delivery: string; label: string }[]
}

/** A choice for each cause of which people are told by e-mail. */
export function NoticesForm({ application, causes, deliveries }: Props) {
  const { t } = useTranslations()
  const { run, isPending, error } = useAction((chosen: Record<string, FormDataEntryValue>) => changeNotices(application, chosen), {
    words: {},
    refreshes: 'done',
    said: () => t('settings.notices.saved'),
  })
  function save(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    run(Object.fromEntries(new FormData(event.currentTarget)))
  }
  return (
    <form onSubmit={save} className="grid max-w-sm gap-4">
      {error && <ErrorNotice error={error} />}
      {causes.map(({ cause, label, delivery }) => (
        <Select key={cause} id={`notice-${cause}`} name={cause} label={label} defaultValue={delivery}>
          {deliveries.map((choice) => (
            <option key={choice.delivery} value={choice.delivery}>
              {choice.label}
            </option>
          ))}
        </Select>
      ))}
      <Button type="submit" isBusy={isPending} className="justify-self-start">
        {t('settings.notices.save')}
      </Button>
    </form>
  )
}
