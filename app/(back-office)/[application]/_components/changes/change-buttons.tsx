'use client'

import { useState, useTransition } from 'react'
import { ErrorNotice } from '#components/form/error-notice.tsx'
import { Button, NotAllowed } from '#components/ui/button.tsx'
import { definePart, LazyPart } from '#components/ui/lazy-part.tsx'
import { toast } from '#components/ui/toast.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import { callAction, refusalText } from '#lib/action-result.ts'
import type { ProposedChangeDto } from '#lib/proposed-change.ts'
import { confirmChange, withdrawChange } from '../../../../actions/changes.ts'
import { CHANGE_REFUSALS } from './change-words.ts'

const REFUSE = definePart(() => import('./refuse-dialog.tsx'))

type Props = { application: string; changeId: string; mayDecide: ProposedChangeDto['mayDecide'] }

/** Confirm and Refuse for the second administrator, Withdraw for the proposer, the reason for everybody else. */
export function ChangeButtons({ application, changeId, mayDecide }: Props) {
  const t = useT()
  const router = useRouter()
  const [error, setError] = useState<string | null>(null)
  const [isRefusing, setIsRefusing] = useState(false)
  const [isPending, startTransition] = useTransition()
  function run(action: typeof confirmChange | typeof withdrawChange, done: 'change.confirmedNow' | 'change.withdrawnNow') {
    startTransition(async () => {
      const result = await callAction(() => action(application, { changeId }))
      if (!result.ok) return setError(refusalText(t, result.error.code, CHANGE_REFUSALS))
      toast(t(done))
      router.refresh()
    })
  }
  return (
    <div className="mt-3 grid gap-2">
      {error && <ErrorNotice error={error} />}
      <div className="flex flex-wrap items-center gap-2">
        {mayDecide === true && (
          <>
            <Button variant="primary" isBusy={isPending} onClick={() => run(confirmChange, 'change.confirmedNow')}>
              {t('change.confirm')}
            </Button>
            <Button variant="danger" disabled={isPending} onClick={() => setIsRefusing(true)}>
              {t('change.refuse')}
            </Button>
          </>
        )}
        {mayDecide === 'own_proposal' && (
          <>
            <NotAllowed reason={t('change.waitsForAnother')} />
            <Button size="small" isBusy={isPending} onClick={() => run(withdrawChange, 'change.withdrawnNow')}>
              {t('change.withdraw')}
            </Button>
          </>
        )}
        {mayDecide === 'about_you' && <NotAllowed reason={t('change.aboutYou')} />}
        {mayDecide === 'not_permitted' && <NotAllowed reason={t('change.administratorsOnly')} />}
      </div>
      {isRefusing && <LazyPart part={REFUSE} props={{ application, changeId, onClose: () => setIsRefusing(false) }} />}
    </div>
  )
}
