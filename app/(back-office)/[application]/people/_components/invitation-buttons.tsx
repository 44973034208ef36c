'use client'

import { type FormEvent, useState, useTransition } from 'react'
import { ErrorNotice } from '#components/form/error-notice.tsx'
import { useFreshCode } from '#components/form/use-fresh-code.tsx'
import { Button, NotAllowed } from '#components/ui/button.tsx'
import { TextField } from '#components/ui/field.tsx'
import { definePart, LazyPart } from '#components/ui/overlay/lazy-part.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import { callAction, refusalText } from '#lib/result.ts'
import { activateMember, renewLink, withdrawLink } from '../actions.ts'
import { PERSON_REFUSALS } from './person-words.ts'

const LINK = definePart(async () => ({ default: (await import('../../_components/changes/change-dialogs.tsx')).LinkDialog }))

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

type JoinedCodeFormProps = { application: string; invitationId: string; name: string }

/** The code that a person who joined reads out to the proposer: it makes them a member. */
export function JoinedCodeForm({ application, invitationId, name }: JoinedCodeFormProps) {
  const t = useT()
  const router = useRouter()
  const [error, setError] = useState<string | null>(null)
  const [isPending, startTransition] = useTransition()
  const freshCode = useFreshCode(isPending)
  function activate(spokenCode: string, code?: string) {
    startTransition(async () => {
      const result = await callAction(() => activateMember(application, { invitationId, spokenCode, ...(code && { code }) }))
      if (!result.ok) {
        if (freshCode.asks(result.error.code, (fresh) => activate(spokenCode, fresh))) return
        setError(refusalText(t, result.error.code, PERSON_REFUSALS))
        if (result.error.code === 'too_many_codes') router.refresh()
        return
      }
      freshCode.accepted()
      toast(t('people.activatedNow', { name }))
      router.refresh()
    })
  }
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const spokenCode = String(new FormData(event.currentTarget).get('spokenCode') ?? '').trim()
    if (spokenCode === '') return setError(t('people.codeMissing'))
    activate(spokenCode)
  }
  return (
    <>
      <form onSubmit={submit} className="grid gap-2">
        {error && <ErrorNotice error={error} />}
        <div className="flex flex-wrap items-end gap-2">
          <div className="w-44">
            <TextField
              id={`code-${invitationId}`}
              name="spokenCode"
              label={t('people.codeOf', { name })}
              autoComplete="off"
              autoCapitalize="characters"
              spellCheck={false}
              maxLength={20}
            />
          </div>
          <Button type="submit" variant="primary" isBusy={isPending}>
            {t('people.confirmCode')}
          </Button>
        </div>
      </form>
      {/* A form of its own. */}
      {freshCode.dialog}
    </>
  )
}
