'use client'

import { useState } from 'react'
import { ErrorNotice } from '#components/form/error-notice.tsx'
import { Button } from '#components/ui/button.tsx'
import { definePart, LazyPart } from '#components/ui/lazy-part.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { LeftBehind } from '#lib/leaving.ts'
import { useProposal } from '../../../_components/changes/use-proposal.ts'
import type { LeavingPerson } from './leaving-person.ts'

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
