'use client'

import { type FormEvent, type ReactNode, useState } from 'react'
import { ErrorNotice } from '#components/form/error-notice.tsx'
import { ScriptForm } from '#components/form/script-form.tsx'
import { useAction } from '#components/form/use-action.tsx'
import { Button } from '#components/ui/button.tsx'
import { Checkbox, Select } from '#components/ui/field.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { changeNotices } from '../actions.ts'

type Times = { digestHour: number; quietFrom: number | null; quietUntil: number | null }
type Settings = { causes: Record<string, FormDataEntryValue>; inBrowser: string[]; times: Times }
type Props = {
  application: string
  causes: readonly { cause: string; label: string; delivery: string; inBrowser: boolean }[]
  deliveries: readonly { delivery: string; label: string }[]
  times: Times
}

const HOURS = Array.from({ length: 24 }, (_, hour) => hour)
const MORNING = 7

/** A choice for each cause of which people are told by e-mail and in their browsers, and when they are. */
export function NoticesForm({ application, causes, deliveries, times }: Props) {
  const { t } = useTranslations()
  const { run, isPending, error } = useAction((chosen: Settings) => changeNotices(application, chosen), {
    words: {},
    refreshes: 'done',
    said: () => t('settings.notices.saved'),
  })
  function save(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const inBrowser = form.getAll('inBrowser').map(String)
    form.delete('inBrowser')
    const { digestHour, quietFrom = '', quietUntil = '', ...chosen } = Object.fromEntries(form)
    const [from, until] = quietFrom === '' ? [null, null] : [Number(quietFrom), Number(quietUntil)]
    run({ causes: chosen, inBrowser, times: { digestHour: Number(digestHour), quietFrom: from, quietUntil: until } })
  }
  return (
    <ScriptForm onSubmit={save} className="grid items-end gap-4 sm:grid-cols-2">
      {error && (
        <div className="sm:col-span-2">
          <ErrorNotice error={error} />
        </div>
      )}
      {causes.map(({ cause, label, delivery, inBrowser }) => (
        <div key={cause} className="grid gap-1.5">
          <Select id={`notice-${cause}`} name={cause} label={label} defaultValue={delivery}>
            {deliveries.map((choice) => (
              <option key={choice.delivery} value={choice.delivery}>
                {choice.label}
              </option>
            ))}
          </Select>
          <Checkbox
            name="inBrowser"
            value={cause}
            defaultChecked={inBrowser}
            label={t('settings.notices.inBrowser')}
            aria-label={t('settings.notices.inBrowserOf', { cause: label })}
          />
        </div>
      ))}
      <TimeFields times={times} />
      <Button type="submit" isBusy={isPending} className="justify-self-start sm:col-span-2">
        {t('settings.notices.save')}
      </Button>
    </ScriptForm>
  )
}

/** The hour of the digest, and the hours in which nothing is sent. */
function TimeFields({ times }: { times: Times }) {
  const { t } = useTranslations()
  const [from, setFrom] = useState(times.quietFrom === null ? '' : String(times.quietFrom))
  const wanted = times.quietUntil ?? MORNING
  const until = String(wanted) === from ? (wanted + 1) % HOURS.length : wanted
  return (
    <div className="grid items-end gap-4 border-t border-line pt-4 sm:col-span-2 sm:grid-cols-3">
      <HourSelect name="digestHour" label={t('settings.notices.digestHour')} defaultValue={times.digestHour} />
      <HourSelect name="quietFrom" label={t('settings.notices.quietFrom')} value={from} onChange={(event) => setFrom(event.target.value)}>
        <option value="">{t('settings.notices.noQuiet')}</option>
      </HourSelect>
      {from !== '' && (
        <HourSelect key={until} name="quietUntil" label={t('settings.notices.quietUntil')} defaultValue={until} without={Number(from)} />
      )}
    </div>
  )
}

type HourSelectProps = Omit<Parameters<typeof Select>[0], 'id' | 'children'> & { name: string; without?: number; children?: ReactNode }

/** Full hours. `without`: one that cannot be chosen. */
function HourSelect({ without, children, ...rest }: HourSelectProps) {
  return (
    <Select id={`notice-${rest.name}`} {...rest}>
      {children}
      {HOURS.filter((hour) => hour !== without).map((hour) => (
        <option key={hour} value={hour}>
          {`${String(hour).padStart(2, '0')}:00`}
        </option>
      ))}
    </Select>
  )
}
