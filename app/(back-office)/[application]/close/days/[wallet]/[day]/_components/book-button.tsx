'use client'

import { DialogButton } from '#components/ui/overlay/dialog-button.tsx'
import { onDemand } from '#components/ui/overlay/on-demand.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { PersonPosting } from '#lib/reconciliation/days.ts'

const BookDialog = onDemand(async () => (await import('./book-dialog.tsx')).BookDialog)

/** Proposes a posting in the wallet book about a line. */
export function BookButton({ application, lineId, kinds }: { application: string; lineId: string; kinds: readonly PersonPosting[] }) {
  const t = useT()
  return (
    <DialogButton size="small" dialog={(onClose) => <BookDialog {...{ application, lineId, kinds, onClose }} />}>
      {t('close.book.action')}
    </DialogButton>
  )
}
