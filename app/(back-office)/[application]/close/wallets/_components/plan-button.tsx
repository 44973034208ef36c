'use client'

import { DialogButton } from '#components/ui/overlay/dialog-button.tsx'
import { onDemand } from '#components/ui/overlay/on-demand.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { PlanDialogProps } from './plan-dialog.tsx'

const PlanDialog = onDemand(async () => (await import('./plan-dialog.tsx')).PlanDialog)

/** Proposes an own transfer. */
export function PlanButton(props: Omit<PlanDialogProps, 'onClose'>) {
  const t = useT()
  return <DialogButton dialog={(onClose) => <PlanDialog {...props} onClose={onClose} />}>{t('treasury.planTransfer')}</DialogButton>
}
