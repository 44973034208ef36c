'use client'

import type { ComponentProps } from 'react'
import { DialogButton } from '#components/ui/overlay/dialog-button.tsx'
import { onDemand } from '#components/ui/overlay/on-demand.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { WalletDialog as Content } from './wallet-dialog.tsx'

const WalletDialog = onDemand(async () => (await import('./wallet-dialog.tsx')).WalletDialog)

/** Opens the form in which a change of a wallet is proposed. */
export function WalletButton(props: Omit<ComponentProps<typeof Content>, 'onClose'>) {
  const t = useT()
  return (
    <DialogButton variant="primary" dialog={(onClose) => <WalletDialog {...props} onClose={onClose} />}>
      {t('close.change')}
    </DialogButton>
  )
}
