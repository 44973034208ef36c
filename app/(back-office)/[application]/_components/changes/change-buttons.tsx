'use client'

import { useState, useTransition } from 'react'
import { ErrorNotice } from '#components/form/error-notice.tsx'
import { useFreshCode } from '#components/form/use-fresh-code.tsx'
import { Button, ButtonLink, NotAllowed } from '#components/ui/button.tsx'
import { definePart, LazyPart } from '#components/ui/lazy-part.tsx'
import { toast } from '#components/ui/toast.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import { callAction, refusalText } from '#lib/action-result.ts'
import { paths } from '#lib/paths.ts'
import type { ProposedChangeDto } from '#lib/proposed-change.ts'
import { confirmChange, withdrawChange } from '../../../../actions/changes.ts'
import { CHANGE_REFUSALS } from './change-words.ts'

const REFUSE = definePart(() => import('./refuse-dialog.tsx'))
const LINK = definePart(() => import('./link-dialog.tsx'))

type Props = {
  application: string
  changeId: string
  mayDecide: ProposedChangeDto['mayDecide']
  /** Whose roles or membership would change. */
  personId: string | null
}

/** Confirm and Refuse for the second administrator, Withdraw for the proposer, the reason for everybody else. */
export function ChangeButtons({ application, changeId, mayDecide, personId }: Props) {
  const t = useT()
  const router = useRouter()
  const [error, setError] = useState<string | null>(null)
  const [isRefusing, setIsRefusing] = useState(false)
  const [isPending, startTransition] = useTransition()
  const [link, setLink] = useState<string | null>(null)
  const [isLeaving, setIsLeaving] = useState(false)
  const freshCode = useFreshCode(isPending)
  function confirm(acknowledged: boolean, code?: string) {
    startTransition(async () => {
      const result = await callAction(() => confirmChange(application, { changeId, acknowledged, ...(code && { code }) }))
      if (!result.ok) {
        if (freshCode.asks(result.error.code, (fresh) => confirm(acknowledged, fresh))) return
        setIsLeaving(result.error.code === 'items_waiting')
        return setError(refusalText(t, result.error.code, CHANGE_REFUSALS))
      }
      freshCode.accepted()
      toast(t('change.confirmedNow'))
      // The list without this change would take the dialog with it.
      if (result.value.link !== null) setLink(result.value.link)
      else router.refresh()
    })
  }
  function withdraw() {
    startTransition(async () => {
      const result = await callAction(() => withdrawChange(application, { changeId }))
      if (!result.ok) return setError(refusalText(t, result.error.code, CHANGE_REFUSALS))
      toast(t('change.withdrawnNow'))
      router.refresh()
    })
  }
  return (
    <div className="mt-3 grid gap-2">
      {error && <ErrorNotice error={error} />}
      <div className="flex flex-wrap items-center gap-2">
        {mayDecide === true && (
          <>
            {isLeaving && personId && <ButtonLink href={paths.person(application, personId)}>{t('change.whatWaits')}</ButtonLink>}
            <Button variant="primary" isBusy={isPending} onClick={() => confirm(isLeaving)}>
              {t(isLeaving ? 'change.confirmAnyway' : 'change.confirm')}
            </Button>
            <Button variant="danger" disabled={isPending} onClick={() => setIsRefusing(true)}>
              {t('change.refuse')}
            </Button>
          </>
        )}
        {mayDecide === 'own_proposal' && (
          <>
            <NotAllowed reason={t('change.waitsForAnother')} />
            <Button size="small" isBusy={isPending} onClick={withdraw}>
              {t('change.withdraw')}
            </Button>
          </>
        )}
        {mayDecide === 'about_you' && <NotAllowed reason={t('change.aboutYou')} />}
        {mayDecide === 'not_permitted' && <NotAllowed reason={t('change.administratorsOnly')} />}
      </div>
      {freshCode.dialog}
      {link && <LazyPart part={LINK} props={{ link, onClose: () => router.refresh() }} />}
      {isRefusing && <LazyPart part={REFUSE} props={{ application, changeId, onClose: () => setIsRefusing(false) }} />}
    </div>
  )
}
