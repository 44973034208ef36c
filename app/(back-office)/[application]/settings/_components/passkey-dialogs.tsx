import { useId, useState, useTransition } from 'react'
import { FormDialog } from '#components/form/form-dialog.tsx'
import { makePasskey } from '#components/form/second-factor/passkey-device.ts'
import { TextField } from '#components/ui/field.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import type { MessageKey } from '#lib/i18n/translate.ts'
import type { PasskeyDto } from '#lib/people/passkeys.ts'
import { callAction, refusalText } from '#lib/result.ts'
import { addPasskey, deletePasskey, startPasskey } from '../actions.ts'

const WORDS = {
  wrong_password: 'enrol.passwordWrong',
  wrong_code: 'signIn.codeWrong',
  throttled: 'settings.throttled',
  invalid_name: 'settings.passkeyNameMissing',
  too_many_passkeys: 'settings.passkeysMax',
  refused: 'settings.passkeyRefused',
  not_made: 'settings.passkeyNotMade',
  not_offered: 'settings.passkeyRefused',
  not_found: 'settings.passkeyGone',
  demanded: 'settings.passkeyDemanded',
  passkey_needed: 'settings.passkeySession',
  unknown_person: 'action.unauthenticated',
} as const satisfies Record<string, MessageKey>

type Problem = { code: string; text: string }

/** Text fields at which a refusal is shown. */
const FIELD_OF: Readonly<Record<string, 'name' | 'password' | 'code'>> = {
  invalid_name: 'name',
  wrong_password: 'password',
  wrong_code: 'code',
  code_required: 'code',
}

type NewPasskeyProps = { application: string; email: string; hasSecondFactor: boolean; firstName: string; onClose: () => void }

/** Name, password and, where the second factor is on, a code; then the device asks the person. */
export function NewPasskeyDialog({ application, email, hasSecondFactor, firstName, onClose }: NewPasskeyProps) {
  const t = useT()
  const router = useRouter()
  const id = useId()
  const [problem, setProblem] = useState<Problem | null>(null)
  const [isPending, startTransition] = useTransition()
  async function add(fields: FormData): Promise<Parameters<typeof refusalText<keyof typeof WORDS>>[1] | null> {
    const name = String(fields.get('name')).trim()
    if (name === '') return 'invalid_name'
    const started = await callAction(() =>
      startPasskey(application, { password: String(fields.get('password')), code: String(fields.get('code') ?? '') }),
    )
    if (!started.ok) return started.error.code
    const attestation = await makePasskey(started.value)
    if (!attestation) return 'not_made'
    const added = await callAction(() => addPasskey(application, { name, attestation }))
    return added.ok ? null : added.error.code
  }
  function submit(fields: FormData) {
    startTransition(async () => {
      const refusal = await add(fields)
      if (refusal !== null) return setProblem({ code: refusal, text: refusalText(t, refusal, WORDS) })
      toast(t('settings.passkeyAdded'))
      onClose()
      router.refresh()
    })
  }
  const at = (field: string) => (problem && FIELD_OF[problem.code] === field ? problem.text : undefined)
  return (
    <FormDialog
      title={t('settings.addPasskey')}
      submitLabel={t('signIn.continue')}
      isPending={isPending}
      error={problem && !FIELD_OF[problem.code] ? problem.text : null}
      onSubmit={(_, fields) => submit(fields)}
      onClose={onClose}
    >
      <p>{t('settings.addPasskeyLead')}</p>
      <TextField
        id={`${id}-name`}
        name="name"
        required
        maxLength={60}
        defaultValue={firstName}
        label={t('settings.passkeyName')}
        hint={t('settings.passkeyNameHint')}
        error={at('name')}
      />
      <OwnPassword id={`${id}-password`} email={email} error={at('password')} />
      {hasSecondFactor && (
        <TextField
          id={`${id}-code`}
          name="code"
          required
          maxLength={7}
          inputMode="numeric"
          autoComplete="one-time-code"
          label={t('enrol.stepCode')}
          error={at('code')}
          className="max-w-36 tabular"
        />
      )}
    </FormDialog>
  )
}

type RemovePasskeyProps = { application: string; email: string; passkey: PasskeyDto; onClose: () => void }

/** Asks for the password before a passkey is removed. */
export function RemovePasskeyDialog({ application, email, passkey, onClose }: RemovePasskeyProps) {
  const t = useT()
  const router = useRouter()
  const id = useId()
  const [problem, setProblem] = useState<Problem | null>(null)
  const [isPending, startTransition] = useTransition()
  function submit(fields: FormData) {
    startTransition(async () => {
      const input = { credentialId: passkey.credentialId, password: String(fields.get('password')) }
      const removed = await callAction(() => deletePasskey(application, input))
      if (!removed.ok) return setProblem({ code: removed.error.code, text: refusalText(t, removed.error.code, WORDS) })
      toast(t('settings.passkeyRemoved'))
      onClose()
      router.refresh()
    })
  }
  const isAtField = problem?.code === 'wrong_password'
  return (
    <FormDialog
      title={t('settings.removePasskeyOf', { name: passkey.name })}
      submitLabel={t('settings.removePasskey')}
      submitVariant="danger"
      isPending={isPending}
      error={problem && !isAtField ? problem.text : null}
      onSubmit={(_, fields) => submit(fields)}
      onClose={onClose}
    >
      <p>{t('settings.removePasskeyLead')}</p>
      <OwnPassword id={`${id}-password`} email={email} error={isAtField ? problem.text : undefined} />
    </FormDialog>
  )
}

/** The password that the person has now; the hidden field tells password managers whose it is. */
function OwnPassword({ id, email, error }: { id: string; email: string; error: string | undefined }) {
  const t = useT()
  return (
    <>
      <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
      <TextField
        id={id}
        name="password"
        type="password"
        required
        maxLength={1024}
        autoComplete="current-password"
        label={t('enrol.stepPassword')}
        error={error}
      />
    </>
  )
}
