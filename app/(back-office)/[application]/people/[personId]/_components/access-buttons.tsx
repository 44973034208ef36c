'use client'

import { type ReactNode, useState, useTransition } from 'react'
import { ErrorNotice } from '#components/form/error-notice.tsx'
import { Button } from '#components/ui/button.tsx'
import { definePart, LazyPart } from '#components/ui/overlay/lazy-part.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import type { LeftBehind } from '#lib/approvals/blocked-items.ts'
import { callAction, refusalText } from '#lib/result.ts'
import { useProposal } from '../../../_components/changes/use-proposal.ts'
import { PERSON_REFUSALS } from '../../_components/person-words.ts'
import { endSessions } from '../../actions.ts'
import type { LeavingPerson } from './left-list.tsx'

const LEAVE = definePart(() => import('./leave-dialog.tsx'))

type Props = { application: string; person: LeavingPerson; left: LeftBehind }

/** Remove and Suspend, or the proposal to lift the suspension. */
export function LeaveButtons({ application, person, left }: Props) {
  const t = useT()
  const [open, setOpen] = useState<'remove' | 'suspend' | null>(null)
  const { propose, error, isPending } = useProposal(application, () => setOpen(null))
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
      <Button onClick={() => setOpen('remove')}>{t('people.remove')}</Button>
      <Button variant="danger" onClick={() => setOpen('suspend')}>
        {t('people.suspend')}
      </Button>
      {open && <LazyPart part={LEAVE} props={{ application, person, left, mode: open, onClose: () => setOpen(null) }} />}
    </div>
  )
}

type EndSessionButtonProps = { application: string; personId: string; sessionId: string | null; name: string; children: ReactNode }

/** Ends one session, or all of them (`sessionId`: null). */
export function EndSessionButton({ application, personId, sessionId, name, children }: EndSessionButtonProps) {
  const t = useT()
  const router = useRouter()
  const [error, setError] = useState<string | null>(null)
  const [isPending, startTransition] = useTransition()
  function end() {
    startTransition(async () => {
      const result = await callAction(() => endSessions(application, { personId, sessionId }))
      if (!result.ok) return setError(refusalText(t, result.error.code, PERSON_REFUSALS))
      toast(t('people.sessionEnded'))
      router.refresh()
    })
  }
  return (
    <>
      {error && <ErrorNotice error={error} />}
      <Button size="small" isBusy={isPending} aria-label={name} onClick={end}>
        {children}
      </Button>
    </>
  )
}
