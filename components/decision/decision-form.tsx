import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { ScriptForm } from '#components/form/script-form.tsx'
import { useOfferedProofs } from '#components/form/second-factor/offered-proofs.tsx'
import { usePasskeyProof } from '#components/form/second-factor/use-passkey-proof.ts'
import type { Action } from '#components/form/use-action.tsx'
import { Button } from '#components/ui/button.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { TextField } from '#components/ui/field.tsx'
import { useIsOnline } from '#components/ui/online.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { ProofAnswer } from '#lib/people/passkeys.ts'
import { type KeptNote, NoteField } from './decision-note.tsx'
import type { Intent } from './decision-text.tsx'

/** The messages of the refusals that every decision may meet. */
export const DECISION_REFUSALS = {
  code_required: 'approvals.code.required',
  wrong_code: 'approvals.code.wrong',
  passkey_refused: 'approvals.passkey.refused',
  code_throttled: 'approvals.code.throttled',
  second_factor_missing: 'approvals.refused.second_factor_missing',
  offline: 'approvals.send.notSent',
} as const

type Props<Answer, Failure extends string> = {
  intent: Intent
  /**
   * Sends the note and the proof. Nothing counts as done before the server has answered; without a connection nothing is sent. Sending again is
   * safe: the server accepts one decision of a person about a transaction.
   */
  action: Action<[note: string, proof: ProofAnswer | null], Answer, Failure>
  /** Increased each time somebody asks to decide: the note gets the focus. Zero: nobody has asked. */
  askedAt: number
  /** The act of the button, and its amount where it is not a single transaction. */
  verb: string
  amount?: string
  /** The button beside it, where a validation can become a rejection; otherwise it leads back. */
  rejectLabel?: string
  /** The content of everything that is decided, as one text. */
  subject: string
  /** How many of the items require a fresh code or passkey. */
  codeCount: number
  notice?: ReactNode
  /** Somebody else ended it, in words: what was typed stays, and nothing can be sent. */
  ended?: string | null
  /** The note typed about it, from `useKeptNote`: it is forgotten once it is sent. */
  kept: KeptNote
  onIntent: (intent: Intent | null) => void
  /** Somebody began to write: what they decide about must not change under their hands. */
  onDraft?: () => void
}

/** The note, a fresh code or passkey where an item requires one, and the buttons that send. For one transaction, a selection or a batch. */
export function DecisionForm<Answer, Failure extends string>(props: Props<Answer, Failure>) {
  const { intent, action, askedAt, subject, codeCount, ended, kept, onDraft } = props
  const t = useT()
  const isOnline = useIsOnline()
  const form = useRef<HTMLFormElement>(null)
  const { note, setNote } = kept
  const [code, setCode] = useState('')
  const [checked, setChecked] = useState<'note' | 'note and code' | null>(null)
  const errorOf = (text: string) => (text.trim() === '' ? t('form.field.required') : undefined)
  const { asksCode, asksPasskey } = useOfferedProofs()
  const needsProof = codeCount > 0
  const needsCode = needsProof && asksCode
  const passkey = usePasskeyProof({
    act: `${intent} ${subject}`,
    onProof: (proof) => action.run(note, proof),
    onProblem: (key) => action.setError(t(key)),
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: another intent has another field
  useEffect(() => {
    if (askedAt > 0) focusField(form, 'note')
  }, [askedAt, intent])
  useEffect(() => {
    if (!action.refusal) return
    // A refused code is used up; the note stays as it is.
    setCode('')
    setChecked(null)
    focusField(form, 'code')
  }, [action.refusal])

  function send(by: 'code' | 'passkey') {
    if (action.isPending || passkey.isAsking || !isOnline || ended) return
    setChecked(by === 'code' ? 'note and code' : 'note')
    if (note.trim() === '') return focusField(form, 'note')
    if (by === 'passkey') {
      action.setError(null)
      return passkey.ask()
    }
    if (needsCode && code.trim() === '') return focusField(form, 'code')
    action.run(note, needsCode ? { kind: 'code', code } : null)
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    send(needsProof && !asksCode ? 'passkey' : 'code')
  }

  return (
    <ScriptForm ref={form} noValidate onSubmit={submit} className="grid gap-2.5">
      {action.error && <Notice tone="bad">{action.error}</Notice>}
      {!isOnline && <Notice tone="wait">{t('approvals.send.offline')}</Notice>}
      {ended && (
        <div role="alert">
          <Notice tone="wait">{ended}</Notice>
        </div>
      )}
      {props.notice}
      <NoteField intent={intent} note={note} error={checked ? errorOf(note) : undefined} onChange={setNote} onDraft={onDraft} />
      {needsProof && (
        <ProofFields
          {...{ asksCode, asksPasskey, codeCount, code }}
          error={checked === 'note and code' ? errorOf(code) : undefined}
          onCode={setCode}
          passkey={
            <Button
              size="small"
              className="justify-self-start"
              isBusy={passkey.isAsking}
              disabled={action.isPending || !isOnline || Boolean(ended)}
              onClick={() => send('passkey')}
            >
              {t('form.passkey.use')}
            </Button>
          }
        />
      )}
      <Buttons {...props} isOnline={isOnline} isSending={action.isPending || passkey.isAsking} />
    </ScriptForm>
  )
}

type ProofProps = {
  asksCode: boolean
  asksPasskey: boolean
  codeCount: number
  code: string
  error: string | undefined
  onCode: (code: string) => void
  /** The button for somebody who may also enter a code; for others, the button that sends asks the device. */
  passkey: ReactNode
}

/** The field for a one-time code with the button for a passkey beside it, or how the device confirms. */
function ProofFields({ asksCode, asksPasskey, codeCount, code, error, onCode, passkey }: ProofProps) {
  const t = useT()
  if (!asksCode) return <p className="text-second text-quiet">{t('approvals.passkey.hint', { count: codeCount })}</p>
  return (
    <>
      <TextField
        id="field-code"
        name="code"
        value={code}
        onChange={(event) => onCode(event.target.value)}
        error={error}
        label={t('approvals.code.label')}
        hint={t('approvals.code.hint', { count: codeCount })}
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={7}
        className="max-w-36 tabular"
      />
      {asksPasskey && passkey}
    </>
  )
}

function focusField(form: { readonly current: HTMLFormElement | null }, name: 'note' | 'code'): void {
  form.current?.querySelector<HTMLInputElement>(`[name=${name}]`)?.focus()
}

/** The button that sends, which says what it sends, and beside it the way to a rejection or back. */
function Buttons<Answer, Failure extends string>(props: Props<Answer, Failure> & { isOnline: boolean; isSending: boolean }) {
  const { intent, action, verb, amount, rejectLabel, isOnline, isSending, ended, onIntent } = props
  const t = useT()
  const label = [action.refusal?.code === 'offline' ? t('approvals.send.again') : verb, amount].filter(Boolean).join(' ')
  return (
    <div className="flex flex-wrap gap-2">
      <Button
        type="submit"
        variant={intent === 'validated' ? 'primary' : 'danger'}
        isBusy={isSending}
        disabled={!isOnline || Boolean(ended)}
        // Sums in three currencies take a second line.
        className={`h-auto! min-h-8 flex-1 py-1 whitespace-normal! ${amount ? 'basis-full' : 'basis-32'}`}
      >
        {isSending ? t('approvals.send.sending') : label}
      </Button>
      {intent === 'validated' && rejectLabel && !ended ? (
        <Button variant="danger" disabled={isSending} className="min-h-8 flex-1 basis-24" onClick={() => onIntent('rejected')}>
          {rejectLabel}
        </Button>
      ) : (
        <Button disabled={isSending} className="min-h-8" onClick={() => onIntent(null)}>
          {t(ended ? 'ui.close' : 'approvals.back')}
        </Button>
      )}
    </div>
  )
}
