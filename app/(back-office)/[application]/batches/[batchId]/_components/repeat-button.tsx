'use client'

import { DialogButton } from '#components/ui/overlay/dialog-button.tsx'
import { onDemand } from '#components/ui/overlay/on-demand.tsx'
import { useT } from '#components/ui/translations.tsx'

const ListDialog = onDemand(async () => (await import('../../../beneficiaries/_components/list-dialog.tsx')).ListDialog)

/** Prepares a new batch of the same people. */
export function RepeatButton({ application, batchId, name }: { application: string; batchId: string; name: string }) {
  const t = useT()
  return (
    <DialogButton dialog={(onClose) => <ListDialog {...{ application, onClose }} of={{ batchId, name }} />}>
      {t('repeat.button')}
    </DialogButton>
  )
}
