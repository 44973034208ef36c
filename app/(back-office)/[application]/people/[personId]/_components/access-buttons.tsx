'use client'

import type { ReactNode } from 'react'
import { ErrorNotice } from '#components/form/error-notice.tsx'
import { useAction } from '#components/form/use-action.tsx'
import { Button } from '#components/ui/button.tsx'
import { DialogButton } from '#components/ui/overlay/dialog-button.tsx'
import { onDemand } from '#components/ui/overlay/on-demand.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { LeftBehind } from '#lib/approvals/blocked-items.ts'
import { useProposal } from '../../../_components/changes/use-proposal.ts'
import { endSessions } from '../../actions.ts'
import type { LeavingPerson } from './left-list.tsx'

const LeaveDialog = onDemand(async () => (await import('./leave-dialog.tsx')).LeaveDialog)

type Props = { application: string; person: LeavingPerson; left: LeftBehind }

/** Remove and Suspend, or the proposal to lift the suspension. */
export function LeaveButtons(props: Props) {
  const { application, person } = props
  const t = useT()
  const { propose, error, isPending } = useProposal(application, () => undefined)
  const { personId, roles } = person
  if (person.isSuspended)
    return (
      <div className="grid gap-2">
        {error && <ErrorNotice error={error} />}
        <div>
          <Button isBusy={isPending} onClick={() => propose('person.roles', { personId, roles, isActive: true })}>
            {t('people.liftSuspension')}
          </Button>
        </div>
      </div>
    )
  if (!person.isActive) return null
  return (
    <div className="flex flex-wrap gap-2">
      <DialogButton dialog={(onClose) => <LeaveDialog {...props} mode="remove" onClose={onClose} />}>{t('people.remove')}</DialogButton>
      <DialogButton variant="danger" dialog={(onClose) => <LeaveDialog {...props} mode="suspend" onClose={onClose} />}>
        {t('people.suspend')}
      </DialogButton>
    </div>
  )
}

type EndSessionButtonProps = { application: string; personId: string; sessionId: string | null; name: string; children: ReactNode }

/** Ends one session, or all of them (`sessionId`: null). */
export function EndSessionButton({ application, personId, sessionId, name, children }: EndSessionButtonProps) {
  const t = useT()
  const { run, isPending, error } = useAction(() => endSessions(application, { personId, sessionId }), {
    words: {},
    said: () => t('people.sessionEnded'),
    refreshes: 'done',
  })
  return (
    <>
      {error && <ErrorNotice error={error} />}
      <Button size="small" isBusy={isPending} aria-label={name} onClick={() => run()}>
        {children}
      </Button>
    </>
  )
}
