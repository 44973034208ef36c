'use client'

import { ErrorNotice } from '#components/form/error-notice.tsx'
import { useAction } from '#components/form/use-action.tsx'
import { Button } from '#components/ui/button.tsx'
import { DialogButton } from '#components/ui/overlay/dialog-button.tsx'
import { onDemand } from '#components/ui/overlay/on-demand.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { TransitDto, TransitStep } from '#lib/finance/treasury-dto.ts'
import { undoMark } from '../../../../actions/transit.ts'
import type { MarkDialogProps } from './mark-dialog.tsx'

const MarkDialog = onDemand(async () => (await import('./mark-dialog.tsx')).MarkDialog)

/** Marks how far a withdrawal is; `named`: which one, in words. */
export function MarkButton({ named, ...props }: Omit<MarkDialogProps, 'onClose'> & { named: { amount: string; reference: string } }) {
  const t = useT()
  return (
    <DialogButton size="small" aria-label={t('treasury.markOf', named)} dialog={(onClose) => <MarkDialog {...props} onClose={onClose} />}>
      {t('treasury.mark')}
    </DialogButton>
  )
}

type UndoProps = {
  application: string
  transit: Pick<TransitDto, 'ledger' | 'changeId'>
  step: TransitStep
  named: { amount: string; reference: string }
}

/** Takes a mark back. */
export function UndoButton({ application, transit: { ledger, changeId }, step, named }: UndoProps) {
  const t = useT()
  const { run, isPending, error } = useAction(() => undoMark(application, { ledgerId: ledger, changeId, step }), {
    words: { not_found: 'action.not_found', not_permitted: 'action.forbidden' },
    said: () => t('treasury.undone'),
    refreshes: 'answered',
  })
  return (
    <>
      <Button
        size="small"
        isBusy={isPending}
        aria-label={t('treasury.undoOf', { step: t(`treasury.step.${step}`), ...named })}
        onClick={() => run()}
      >
        {t('ui.undo')}
      </Button>
      {error && <ErrorNotice error={error} />}
    </>
  )
}
