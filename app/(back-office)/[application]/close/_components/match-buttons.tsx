'use client'

import { DialogButton } from '#components/ui/overlay/dialog-button.tsx'
import { onDemand } from '#components/ui/overlay/on-demand.tsx'
import { useT } from '#components/ui/translations.tsx'

const MatchDialog = onDemand(async () => (await import('./match-dialog.tsx')).MatchDialog)

type Props = { application: string; lineId: string; isMatched: boolean; label?: string }

/** Matches a line by hand, or takes its match back. */
export function MatchButtons({ application, lineId, isMatched, label }: Props) {
  const t = useT()
  return (
    <DialogButton size="small" dialog={(onClose) => <MatchDialog {...{ application, lineId, isMatched, onClose }} />}>
      {label ?? t(isMatched ? 'close.undo' : 'close.match')}
    </DialogButton>
  )
}
