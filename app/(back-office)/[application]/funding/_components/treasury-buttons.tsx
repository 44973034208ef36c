'use client'

import { ErrorNotice } from '#components/form/error-notice.tsx'
import { useAction } from '#components/form/use-action.tsx'
import { Button } from '#components/ui/button.tsx'
import { DialogButton } from '#components/ui/overlay/dialog-button.tsx'
import { onDemand } from '#components/ui/overlay/on-demand.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { TransitDto, TransitStep } from '#lib/finance/treasury-dto.ts'
import { undoMark } from '../actions.ts'
import type { MarkDialogProps } from './mark-dialog.tsx'
import type { ScheduleDialogProps } from './treasury-dialogs.tsx'

const AccountDialog = onDemand(async () => (await import('./treasury-dialogs.tsx')).AccountDialog)
const MinimumDialog = onDemand(async () => (await import('./treasury-dialogs.tsx')).MinimumDialog)
const ScheduleDialog = onDemand(async () => (await import('./treasury-dialogs.tsx')).ScheduleDialog)
const MarkDialog = onDemand(async () => (await import('./mark-dialog.tsx')).MarkDialog)
const ProposalQuestion = onDemand(async () => (await import('../../_components/changes/proposal-dialog.tsx')).ProposalQuestion)

/** Proposes a bank account. */
export function AddAccountButton({ application }: { application: string }) {
  const t = useT()
  return <DialogButton dialog={(onClose) => <AccountDialog {...{ application, onClose }} />}>{t('treasury.addAccount')}</DialogButton>
}

/** Proposes the smallest withdrawal. */
export function MinimumButton({ application }: { application: string }) {
  const t = useT()
  return <DialogButton dialog={(onClose) => <MinimumDialog {...{ application, onClose }} />}>{t('treasury.setMinimum')}</DialogButton>
}

/** Proposes that a bank account is removed; `account`: in words. */
export function RemoveAccountButton({
  application,
  bankAccountId,
  account,
}: {
  application: string
  bankAccountId: string
  account: string
}) {
  const t = useT()
  return (
    <DialogButton
      size="small"
      aria-label={t('treasury.removeOf', { account })}
      dialog={(onClose) => (
        <ProposalQuestion
          application={application}
          kind="bank_account.remove"
          input={{ bankAccountId }}
          title={t('treasury.remove')}
          text={t('treasury.removeQuestion', { account })}
          isRemoval
          onClose={onClose}
        />
      )}
    >
      {t('treasury.remove')}
    </DialogButton>
  )
}

/** Proposes a schedule: a new one, or another in place of the present one of `balance`. */
export function ScheduleButton({ balance, ...props }: Omit<ScheduleDialogProps, 'onClose'> & { balance: string | null }) {
  const t = useT()
  return (
    <DialogButton
      {...(balance === null ? {} : { size: 'small', 'aria-label': t('treasury.changeScheduleOf', { balance }) })}
      dialog={(onClose) => <ScheduleDialog {...props} onClose={onClose} />}
    >
      {t(balance === null ? 'treasury.setSchedule' : 'treasury.changeSchedule')}
    </DialogButton>
  )
}

type RemoveScheduleProps = { application: string; operator: string; account: string; balance: string }

/** Proposes that a schedule is removed. */
export function RemoveScheduleButton({ application, operator, account, balance }: RemoveScheduleProps) {
  const t = useT()
  return (
    <DialogButton
      size="small"
      aria-label={t('treasury.removeScheduleOf', { balance })}
      dialog={(onClose) => (
        <ProposalQuestion
          application={application}
          kind="withdrawal.schedule"
          input={{ operator, account, terms: null }}
          title={t('treasury.remove')}
          text={t('treasury.removeScheduleQuestion', { balance })}
          isRemoval
          onClose={onClose}
        />
      )}
    >
      {t('treasury.remove')}
    </DialogButton>
  )
}

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
