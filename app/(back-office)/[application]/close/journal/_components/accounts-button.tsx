'use client'

import type { ComponentProps } from 'react'
import { DialogButton } from '#components/ui/overlay/dialog-button.tsx'
import { onDemand } from '#components/ui/overlay/on-demand.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { AccountsDialog as Content } from './accounts-dialog.tsx'

const AccountsDialog = onDemand(async () => (await import('./accounts-dialog.tsx')).AccountsDialog)

/** Opens the form in which other accounts of the journal are proposed. */
export function AccountsButton(props: Omit<ComponentProps<typeof Content>, 'onClose'>) {
  const t = useT()
  return <DialogButton dialog={(onClose) => <AccountsDialog {...props} onClose={onClose} />}>{t('journal.accountsChange')}</DialogButton>
}
