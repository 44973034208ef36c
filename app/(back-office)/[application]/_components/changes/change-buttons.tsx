'use client'

import { useState, useTransition } from 'react'
import { ErrorNotice } from '#components/form/error-notice.tsx'
import { useFreshCode } from '#components/form/use-fresh-code.tsx'
import { Button, ButtonLink, NotAllowed } from '#components/ui/button.tsx'
import { definePart, LazyPart } from '#components/ui/overlay/lazy-part.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import type { CollectedSecret, ProposedChangeDto } from '#lib/approvals/proposed-change.ts'
import { paths } from '#lib/pages/paths.ts'
import { callAction, refusalText } from '#lib/result.ts'
import { collectSecret, confirmChange, withdrawChange } from '../../../../actions/changes.ts'
import { CHANGE_REFUSALS } from './use-proposal.ts'

const REFUSE = definePart(async () => ({ default: (await import('./change-dialogs.tsx')).RefuseDialog }))
const LINK = definePart(async () => ({ default: (await import('./change-dialogs.tsx')).LinkDialog }))

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

const SECRET_DIALOG = definePart(async () => ({ default: (await import('./change-dialogs.tsx')).SecretDialog }))

/** Makes the secret of a confirmed proposal and shows it, once: it is kept in the memory of this component only, until the dialog closes. */
export function CollectButton({ application, changeId }: { application: string; changeId: string }) {
  const t = useT()
  const router = useRouter()
  const [secret, setSecret] = useState<CollectedSecret | null>(null)
  const [error, setError] = useState<string | null>(null)
  const [isPending, startTransition] = useTransition()
  const freshCode = useFreshCode(isPending)
  function collect(code?: string) {
    startTransition(async () => {
      const result = await callAction(() => collectSecret(application, { changeId, ...(code && { code }) }))
      if (!result.ok) {
        if (freshCode.asks(result.error.code, collect)) return
        return setError(refusalText(t, result.error.code, CHANGE_REFUSALS))
      }
      freshCode.accepted()
      setSecret(result.value)
    })
  }
  function close() {
    setSecret(null)
    router.refresh()
  }
  return (
    <div className="mt-3 grid justify-items-start gap-2">
      {error && <ErrorNotice error={error} />}
      <p>{t('change.collection.yours')}</p>
      <Button variant="primary" isBusy={isPending} disabled={secret !== null} onClick={() => collect()}>
        {t('change.collect')}
      </Button>
      {freshCode.dialog}
      {secret && <LazyPart part={SECRET_DIALOG} props={{ secret, onClose: close }} />}
    </div>
  )
}
