'use client'

import { useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { definePart, LazyPart } from '#components/ui/lazy-part.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { SettingsTerms } from '#lib/terms.ts'

const SETTINGS_DIALOG = definePart(() => import('./settings-dialog.tsx'))
const ZONE_DIALOG = definePart(() => import('./zone-dialog.tsx'))

type Props = { application: string; settings: SettingsTerms; timeZone: string }

/** Opens the form of the settings, or that of the time zone. */
export function SettingsButtons({ application, settings, timeZone }: Props) {
  const t = useT()
  const [open, setOpen] = useState<'settings' | 'zone' | null>(null)
  const onClose = () => setOpen(null)
  return (
    <div className="mt-4 flex flex-wrap gap-2">
      <Button onClick={() => setOpen('settings')}>{t('terms.change')}</Button>
      <Button onClick={() => setOpen('zone')}>{t('terms.changeZone')}</Button>
      {open === 'settings' && <LazyPart part={SETTINGS_DIALOG} props={{ application, settings, onClose }} />}
      {open === 'zone' && <LazyPart part={ZONE_DIALOG} props={{ application, timeZone, onClose }} />}
    </div>
  )
}
