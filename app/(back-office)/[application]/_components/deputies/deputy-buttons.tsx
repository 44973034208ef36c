'use client'

import { DialogButton } from '#components/ui/overlay/dialog-button.tsx'
import { onDemand } from '#components/ui/overlay/on-demand.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { EndProps, NameProps } from './deputy-dialogs.tsx'

const NameDialog = onDemand(async () => (await import('./deputy-dialogs.tsx')).NameDialog)
const EndDialog = onDemand(async () => (await import('./deputy-dialogs.tsx')).EndDialog)

/** Opens the form that proposes a deputy. */
export function NameDeputyButton(props: Omit<NameProps, 'onClose'>) {
  const t = useT()
  return <DialogButton dialog={(onClose) => <NameDialog {...props} onClose={onClose} />}>{t('deputy.name')}</DialogButton>
}

/** Asks before a deputyship ends. */
export function EndButton(props: Omit<EndProps, 'onClose'>) {
  const t = useT()
  const { deputy, absent } = props
  return (
    <DialogButton
      size="small"
      aria-label={t('deputy.endOf', { deputy, absent })}
      dialog={(onClose) => <EndDialog {...props} onClose={onClose} />}
    >
      {t('deputy.end')}
    </DialogButton>
  )
}
