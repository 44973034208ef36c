'use client'

import { useMemo } from 'react'
import { FormDialog } from '#components/form/form-dialog.tsx'
import { Select } from '#components/ui/field.tsx'
import { useNow, useT } from '#components/ui/translations.tsx'
import { listTimeZones } from '#lib/time-zones.ts'
import { useProposal } from '../../_components/changes/use-proposal.ts'

type Props = { application: string; timeZone: string; onClose: () => void }

/** Proposes another business time zone. A default export, because it is loaded on demand. */
export default function ZoneDialog({ application, timeZone, onClose }: Props) {
  const t = useT()
  const now = useNow()
  const { propose, error, isPending } = useProposal(application, onClose)
  const regions = useMemo(() => listTimeZones(now, timeZone), [now, timeZone])
  return (
    <FormDialog
      title={t('terms.changeZone')}
      submitLabel={t('change.propose')}
      isPending={isPending}
      error={error}
      onSubmit={(event) => {
        event.preventDefault()
        propose('time_zone.set', { timeZone: String(new FormData(event.currentTarget).get('timeZone') ?? '') })
      }}
      onClose={onClose}
    >
      <Select id="terms-zone" name="timeZone" label={t('terms.zone')} hint={t('terms.zoneHint')} defaultValue={timeZone}>
        {regions.map(({ region, zones }) => (
          <optgroup key={region} label={region === '' ? 'UTC' : region}>
            {zones.map(({ name, offset }) => (
              <option key={name} value={name}>
                {`${name.replaceAll('_', ' ')} (${offset})`}
              </option>
            ))}
          </optgroup>
        ))}
      </Select>
      <p className="text-second text-quiet">{t('change.afterwards')}</p>
    </FormDialog>
  )
}
