'use client'

import { type FormEvent, useState } from 'react'
import { ErrorNotice } from '#components/form/error-notice.tsx'
import { ScriptForm } from '#components/form/script-form.tsx'
import { useAction } from '#components/form/use-action.tsx'
import { Button, NotAllowed } from '#components/ui/button.tsx'
import { TextField } from '#components/ui/field.tsx'
import { onDemand } from '#components/ui/overlay/on-demand.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import { activateMember, renewLink, withdrawLink } from '../actions.ts'
import { PERSON_REFUSALS } from './person-words.ts'

const OnceDialog = onDemand(async () => (await import('../../_components/changes/once-dialog.tsx')).OnceDialog)

type Props = { application: string; invitationId: string; name: string; whyNoLink: 'own' | 'old' | 'joined' | null }

/** A new link for a person who was invited, or an end of the invitation. */
export function InvitationButtons({ application, invitationId, name, whyNoLink }: Props) {
  const t = useT()
  const router = useRouter()
  const [link, setLink] = useState<string | null>(null)
  const renewal = useAction(() => renewLink(application, { invitationId }), {
    words: PERSON_REFUSALS,
    withProof: (proof) => renewLink(application, { invitationId, proof }),
    onDone: ({ link: made }) => {
      setLink(made)
      if (made === null) toast(t('people.linkMailed'))
    },
    refreshes: 'done',
  })
  const withdrawal = useAction(() => withdrawLink(application, { invitationId }), {
    words: {},
    said: () => t('people.invitationWithdrawn'),
    refreshes: 'done',
  })
  const isPending = renewal.isPending || withdrawal.isPending
  const error = renewal.error ?? withdrawal.error
  function close() {
    setLink(null)
    router.refresh()
  }
  return (
    <div className="grid gap-2">
      {error && <ErrorNotice error={error} />}
      <div className="flex flex-wrap items-center gap-2">
        {whyNoLink === null ? (
          <Button size="small" isBusy={isPending} aria-label={t('people.newLinkFor', { name })} onClick={() => renewal.run()}>
            {t('people.newLink')}
          </Button>
        ) : (
          whyNoLink !== 'joined' && <NotAllowed reason={t(whyNoLink === 'own' ? 'people.ownInvitation' : 'people.invitationTooOld')} />
        )}
        <Button size="small" disabled={isPending} aria-label={t('people.withdrawInvitationOf', { name })} onClick={() => withdrawal.run()}>
          {t('people.withdrawInvitation')}
        </Button>
      </div>
      {renewal.proofDialog}
      {link && <OnceDialog title={t('people.linkTitle')} text={t('people.linkText')} value={link} onClose={close} />}
    </div>
  )
}

type JoinedCodeFormProps = { application: string; invitationId: string; name: string }

/** The code that a person who joined reads out to the proposer: it makes them a member. */
export function JoinedCodeForm({ application, invitationId, name }: JoinedCodeFormProps) {
  const t = useT()
  const { run, isPending, error, setError, proofDialog } = useAction(
    (spokenCode: string) => activateMember(application, { invitationId, spokenCode }),
    {
      words: PERSON_REFUSALS,
      withProof: (proof, [spokenCode]) => activateMember(application, { invitationId, spokenCode, proof }),
      said: () => t('people.activatedNow', { name }),
      refreshes: 'answered',
    },
  )
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const spokenCode = String(new FormData(event.currentTarget).get('spokenCode') ?? '').trim()
    if (spokenCode === '') return setError(t('people.codeMissing'))
    run(spokenCode)
  }
  return (
    <>
      <ScriptForm onSubmit={submit} className="grid gap-2">
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
      </ScriptForm>
      {/* A form of its own. */}
      {proofDialog}
    </>
  )
}
