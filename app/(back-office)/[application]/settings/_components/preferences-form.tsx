'use client'

import { type FormEvent, useState, useSyncExternalStore } from 'react'
import { ErrorNotice } from '#components/form/error-notice.tsx'
import { ScriptForm } from '#components/form/script-form.tsx'
import { useAction } from '#components/form/use-action.tsx'
import { Button } from '#components/ui/button.tsx'
import { Select } from '#components/ui/field.tsx'
import { useNow, useTranslations } from '#components/ui/translations.tsx'
import type { Locale } from '#lib/i18n/locale.ts'
import { formatTime, zoneWords } from '#lib/time/format-time.ts'
import type { TimeZoneRegion } from '#lib/time/time-zones.ts'
import { changeLook } from '../actions.ts'

type Props = { application: string; locale: Locale; timeZone: string; regions: readonly TimeZoneRegion[] }

/** Language and time zone. The current time in the chosen zone is shown before it is saved. */
export function PreferencesForm({ application, locale, timeZone, regions }: Props) {
  const { t, businessZone } = useTranslations()
  const now = useNow()
  const [chosenZone, setChosenZone] = useState(timeZone)
  const deviceZone = useDeviceZone()
  const offersDevice = deviceZone !== chosenZone && regions.some(({ zones }) => zones.some(({ name }) => name === deviceZone))
  const { run, isPending, error } = useAction((chosen: string) => changeLook(application, { locale: chosen, timeZone: chosenZone }), {
    words: { unknown_time_zone: 'settings.zoneUnknown', unknown_person: 'action.unauthenticated' },
    said: (value) => value.said,
  })
  function save(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    run(String(new FormData(event.currentTarget).get('locale')))
  }
  return (
    <ScriptForm onSubmit={save} className="grid max-w-sm gap-4">
      {error && <ErrorNotice error={error} />}
      <Select id="locale" name="locale" label={t('frame.language')} defaultValue={locale}>
        <option value="en" lang="en">
          {t('frame.english')}
        </option>
        <option value="fr" lang="fr">
          {t('frame.french')}
        </option>
      </Select>
      <div className="grid justify-items-start gap-2">
        <div className="w-full">
          <Select
            id="time-zone"
            name="timeZone"
            label={t('settings.timeZone')}
            value={chosenZone}
            onChange={(event) => setChosenZone(event.target.value)}
            hint={
              <>
                {t('settings.timeThere', { time: formatTime(t, chosenZone, now, 'day-time') })}
                <span className="block">{t('settings.timeZoneUse', { zone: zoneWords(t, businessZone) })}</span>
              </>
            }
          >
            {regions.map(({ region, zones }) => (
              <ZoneOptions key={region} region={region} zones={zones} />
            ))}
          </Select>
        </div>
        {offersDevice && deviceZone && (
          <Button size="small" onClick={() => setChosenZone(deviceZone)}>
            {t('settings.useDeviceZone', { zone: deviceZone.replaceAll('_', ' ') })}
          </Button>
        )}
      </div>
      <Button type="submit" variant="primary" isBusy={isPending} className="justify-self-start">
        {t('settings.save')}
      </Button>
    </ScriptForm>
  )
}

function ZoneOptions({ region, zones }: TimeZoneRegion) {
  const options = zones.map(({ name, offset }) => (
    <option key={name} value={name}>
      {name === 'UTC' ? name : `${name.replaceAll('_', ' ')} (UTC${offset})`}
    </option>
  ))
  return region === '' ? options : <optgroup label={region}>{options}</optgroup>
}

const never = () => () => undefined

/** Returns the time zone of this device; null on the server. */
function useDeviceZone(): string | null {
  return useSyncExternalStore(
    never,
    () => new Intl.DateTimeFormat().resolvedOptions().timeZone,
    () => null,
  )
}
