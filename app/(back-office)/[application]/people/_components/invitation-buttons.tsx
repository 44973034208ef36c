'use client'

import { useState, useTransition } from 'react'
import { ErrorNotice } from '#components/form/error-notice.tsx'
import { useFreshCode } from '#components/form/use-fresh-code.tsx'
import { Button, NotAllowed } from '#components/ui/button.tsx'
import { definePart, LazyPart } from '#components/ui/lazy-part.tsx'
import { toast } from '#components/ui/toast.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import { callAction, refusalText } from '#lib/action-result.ts'
import { renewLink, withdrawLink } from '../actions.ts'
import { PERSON_REFUSALS } from './person-words.ts'

const LINK = definePart(() => import('../../_components/changes/link-dialog.tsx'))

type Props = { application: string; invitationId: string; name: string; whyNoLink: 'own' | 'old' | 'joined' | null }

/** A new link for a person who was invited, or an end of the invitation. */
export function InvitationButtons({ application, invitationId, name, whyNoLink }: Props) {
  const t = useT()
  const router = useRouter()
  const [error, setError] = useState<string | null>(null)
  const [link, setLink] = useState<string | null>(null)
  const [isPending, startTransition] = useTransition()
  const freshCode = useFreshCode(isPending)
  function renew(code?: string) {
    startTransition(async () => {
      const result = await callAction(() => renewLink(application, { invitationId, ...(code && { code }) }))
      if (!result.ok) {
        if (freshCode.asks(result.error.code, renew)) return
        return setError(refusalText(t, result.error.code, PERSON_REFUSALS))
      }
      freshCode.accepted()
      setError(null)
      setLink(result.value.link)
    })
  }
  function withdraw() {
    startTransition(async () => {
      const result = await callAction(() => withdrawLink(application, { invitationId }))
      if (!result.ok) return setError(refusalText(t, result.error.code, PERSON_REFUSALS))
      toast(t('people.invitationWithdrawn'))
      router.refresh()
    })
  }
  function close() {
    setLink(null)
    router.refresh()
  }
  return (
    <div className="grid gap-2">
      {error && <ErrorNotice error={error} />}
      <div className="flex flex-wrap items-center gap-2">
        {whyNoLink === null ? (
          <Button size="small" isBusy={isPending} aria-label={t('people.newLinkFor', { name })} onClick={() => renew()}>
            {t('people.newLink')}
          </Button>
        ) : (
          whyNoLink !== 'joined' && <NotAllowed reason={t(whyNoLink === 'own' ? 'people.ownInvitation' : 'people.invitationTooOld')} />
        )}
        <Button size="small" disabled={isPending} aria-label={t('people.withdrawInvitationOf', { name })} onClick={withdraw}>
          {t('people.withdrawInvitation')}
        </Button>
      </div>
      {freshCode.dialog}
      {link && <LazyPart part={LINK} props={{ link, onClose: close }} />}
    </div>
  )
}
