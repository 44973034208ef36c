'use client'

import { useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { definePart, LazyPart } from '#components/ui/lazy-part.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { ProtocolSettings } from '#lib/operator-settings.ts'
import { protocolName } from '../../_components/protocol-text.ts'

const SETTINGS_DIALOG = definePart(() => import('./settings-dialog.tsx'))
const REMOVAL_DIALOG = definePart(() => import('./removal-dialog.tsx'))

/** Opens the form of the settings of one protocol, or the question whether to remove them. */
export function SettingsButtons({ application, settings }: { application: string; settings: ProtocolSettings }) {
  const t = useT()
  const [open, setOpen] = useState<'change' | 'remove' | null>(null)
  const onClose = () => setOpen(null)
  const protocol = protocolName(t, settings.protocol)
  return (
    <div className="no-print mt-3 flex flex-wrap gap-2">
      <Button aria-label={t(settings.stored ? 'operators.changeOf' : 'operators.enterOf', { protocol })} onClick={() => setOpen('change')}>
        {t(settings.stored ? 'operators.change' : 'operators.enter')}
      </Button>
      {settings.stored && (
        <Button variant="danger" aria-label={t('operators.removeOf', { protocol })} onClick={() => setOpen('remove')}>
          {t('operators.remove')}
        </Button>
      )}
      {open === 'change' && <LazyPart part={SETTINGS_DIALOG} props={{ application, settings, onClose }} />}
      {open === 'remove' && <LazyPart part={REMOVAL_DIALOG} props={{ application, settings, onClose }} />}
    </div>
  )
}
