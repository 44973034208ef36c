'use client'

import type { ComponentProps } from 'react'
import { DialogButton } from '#components/ui/overlay/dialog-button.tsx'
import { onDemand } from '#components/ui/overlay/on-demand.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { RulesDialog as Content } from './rules-dialog.tsx'

const RulesDialog = onDemand(async () => (await import('./rules-dialog.tsx')).RulesDialog)

/** Opens the form in which other matching rules are proposed. */
export function RulesButton(props: Omit<ComponentProps<typeof Content>, 'onClose'>) {
  const t = useT()
  return <DialogButton dialog={(onClose) => <RulesDialog {...props} onClose={onClose} />}>{t('matching.change')}</DialogButton>
}
