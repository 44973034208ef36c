import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import type { Action } from '#components/form/use-action.tsx'
import { Button } from '#components/ui/button.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { TextField } from '#components/ui/field.tsx'
import { useIsOnline } from '#components/ui/online.tsx'
import { useT } from '#components/ui/translations.tsx'
import { type KeptNote, NoteField } from './decision-note.tsx'
import type { Intent } from './decision-text.tsx'

/** The messages of the refusals that every decision may meet. */
export const DECISION_REFUSALS = {
  code_required: 'approvals.code.required',
  wrong_code: 'approvals.code.wrong',
  code_throttled: 'approvals.code.throttled',
  second_factor_missing: 'approvals.refused.second_factor_missing',
  offline: 'approvals.send.notSent',
} as const

type Props<Answer, Failure extends string> = {
  intent: Intent
  /**
   * Sends the note and the code. Nothing counts as done before the server has answered; without a connection nothing is sent. Sending again is
   * safe: the server accepts one decision of a person about a transaction.
   */
  action: Action<[note: string, code: string | null], Answer, Failure>
  /** Increased each time somebody asks to decide: the note gets the focus. Zero: nobody has asked. */
  askedAt: number
  /** The act of the button, and its amount where it is not a single transaction. */
  verb: string
  amount?: string
  /** The button beside it, where a validation can become a rejection; otherwise it leads back. */
  rejectLabel?: string
  /** How many of the items require a one-time code. */
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

/** The note, a one-time code where an item requires one, and the buttons that send. For one transaction, a selection or a batch. */
export function DecisionForm<Answer, Failure extends string>(props: Props<Answer, Failure>) {
  const { intent, action, askedAt, codeCount, ended, kept, onDraft } = props
  const t = useT()
  const isOnline = useIsOnline()
  const form = useRef<HTMLFormElement>(null)
  const { note, setNote } = kept
  const [code, setCode] = useState('')
  const [isChecked, setIsChecked] = useState(false)
  const errorOf = (text: string) => (isChecked && text.trim() === '' ? t('form.field.required') : undefined)
  const needsCode = codeCount > 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: another intent has another field
  useEffect(() => {
    if (askedAt > 0) focusField(form, 'note')
  }, [askedAt, intent])
  useEffect(() => {
    if (!action.refusal) return
    // A refused code is used up; the note stays as it is.
    setCode('')
    setIsChecked(false)
    focusField(form, 'code')
  }, [action.refusal])

  function submit(event: FormEvent) {
    event.preventDefault()
    if (action.isPending || !isOnline || ended) return
    setIsChecked(true)
    if (note.trim() === '') return focusField(form, 'note')
    if (needsCode && code.trim() === '') return focusField(form, 'code')
    action.run(note, needsCode ? code : null)
  }

  return (
    <form ref={form} noValidate onSubmit={submit} className="grid gap-2.5">
      {action.error && <Notice tone="bad">{action.error}</Notice>}
      {!isOnline && <Notice tone="wait">{t('approvals.send.offline')}</Notice>}
      {ended && (
        <div role="alert">
          <Notice tone="wait">{ended}</Notice>
        </div>
      )}
      {props.notice}
      <NoteField intent={intent} note={note} error={errorOf(note)} onChange={setNote} onDraft={onDraft} />
      {needsCode && (
        <TextField
          id="field-code"
          name="code"
          value={code}
          onChange={(event) => setCode(event.target.value)}
          error={errorOf(code)}
          label={t('approvals.code.label')}
          hint={t('approvals.code.hint', { count: codeCount })}
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={7}
          className="max-w-36 tabular"
        />
      )}
      <Buttons {...props} isOnline={isOnline} />
    </form>
  )
}

function focusField(form: { readonly current: HTMLFormElement | null }, name: 'note' | 'code'): void {
  form.current?.querySelector<HTMLInputElement>(`[name=${name}]`)?.focus()
}

/** The button that sends, which says what it sends, and beside it the way to a rejection or back. */
function Buttons<Answer, Failure extends string>(props: Props<Answer, Failure> & { isOnline: boolean }) {
  const { intent, action, verb, amount, rejectLabel, isOnline, ended, onIntent } = props
  const t = useT()
  const isSending = action.isPending
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
