import { type FormEvent, useEffect, useRef, useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { TextField } from '#components/ui/field.tsx'
import { useT, useTranslations } from '#components/ui/translations.tsx'
import type { DecidedItem, DecisionResult } from '#lib/approvals/approvals.ts'
import { paths } from '#lib/pages/paths.ts'
import { formatCount } from '#lib/text/format.ts'
import { NoteField, type Sending, useDecision } from './decision-note.tsx'
import { type DecisionActions, type Intent, sumItems, sumsText } from './decision-text.tsx'

type DecisionFormProps = {
  application: string
  intent: Intent
  items: readonly DecidedItem[]
  actions: DecisionActions
  /** Increased each time somebody asks to decide: the note gets the focus. Zero: nobody has asked. */
  askedAt: number
  onIntent: (intent: Intent | null) => void
  /** Somebody began to write: what they decide about must not change under their hands. */
  onDraft: () => void
  /** Once, with one result for each item; none for a recall. */
  onDone: (results: readonly DecisionResult[], items: readonly DecidedItem[]) => void
}

/** The note, a one-time code where an item requires one, and the buttons that send. For one transaction or a selection. */
export default function DecisionForm(props: DecisionFormProps) {
  const { application, intent, actions, onIntent, onDraft, onDone } = props
  const t = useT()
  const form = useRef<HTMLFormElement>(null)
  const [leftOut, setLeftOut] = useState<readonly DecidedItem[]>([])
  const [note, setNote] = useState('')
  const [code, setCode] = useState('')
  const [isChecked, setIsChecked] = useState(false)
  const items = props.items.filter((item) => !leftOut.includes(item))
  const decision = useDecision(application, actions, (results) => onDone(results, items))
  const { codeless, needsCode } = codesOf(items, intent, decision.hasFactor)
  const errorOf = (text: string) => (isChecked && text.trim() === '' ? t('form.field.required') : undefined)
  useNoteFocus(form, props.askedAt, intent)

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (decision.sending === 'sending' || !decision.isOnline) return
    setIsChecked(true)
    if (note.trim() === '') return focusField(form, 'note')
    if (needsCode && code.trim() === '') return focusField(form, 'code')
    if (await decision.send({ intent, items, note, code: needsCode ? code : null })) return
    // A refused code is used up; the note stays as it is.
    setCode('')
    setIsChecked(false)
    focusField(form, 'code')
  }

  return (
    <form ref={form} noValidate onSubmit={(event) => void submit(event)} className="grid gap-2.5">
      {decision.problem && <Notice tone="bad">{decision.problem}</Notice>}
      {!decision.isOnline && <Notice tone="wait">{t('approvals.send.offline')}</Notice>}
      {codeless.length > 0 && (
        <WithoutFactor
          application={application}
          count={codeless.length}
          onLeaveOut={
            codeless.length === items.length
              ? undefined
              : () => {
                  decision.clearProblem()
                  setLeftOut(codeless)
                }
          }
        />
      )}
      <NoteField intent={intent} note={note} error={errorOf(note)} onChange={setNote} onDraft={onDraft} />
      {needsCode && <CodeField code={code} error={errorOf(code)} count={items.length} onChange={setCode} />}
      <DecisionSend intent={intent} items={items} sending={decision.sending} isOnline={decision.isOnline} onIntent={onIntent} />
    </form>
  )
}

type FormRef = { readonly current: HTMLFormElement | null }

function focusField(form: FormRef, name: 'note' | 'code'): void {
  form.current?.querySelector<HTMLInputElement>(`[name=${name}]`)?.focus()
}

/** The person who asked to decide writes next. */
function useNoteFocus(form: FormRef, askedAt: number, intent: Intent): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: another intent has another field
  useEffect(() => {
    if (askedAt > 0) focusField(form, 'note')
  }, [form, askedAt, intent])
}

/** The items that this person cannot validate without a second factor, and whether the others require a code. */
function codesOf(items: readonly DecidedItem[], intent: Intent, hasFactor: boolean) {
  if (intent !== 'validated') return { codeless: [], needsCode: false }
  const codeless = items.filter((item) => item.canApprove === 'second_factor_missing' || (item.needsCode && !hasFactor))
  return { codeless, needsCode: codeless.length === 0 && items.some((item) => item.needsCode) }
}

type CodeFieldProps = { code: string; error: string | undefined; count: number; onChange: (code: string) => void }

function CodeField({ code, error, count, onChange }: CodeFieldProps) {
  const t = useT()
  return (
    <TextField
      id="field-code"
      name="code"
      value={code}
      onChange={(event) => onChange(event.target.value)}
      error={error}
      label={t('approvals.code.label')}
      hint={t('approvals.code.hint', { count })}
      inputMode="numeric"
      autoComplete="one-time-code"
      maxLength={7}
      className="max-w-36 tabular"
    />
  )
}

const WORDS = { validated: 'approvals.validate', rejected: 'approvals.reject', recall: 'approvals.recall.submit' } as const

/** The button that sends, which says what it sends, and beside it the way to a rejection or back. */
function DecisionSend({
  intent,
  items,
  sending,
  isOnline,
  onIntent,
}: {
  intent: Intent
  items: readonly DecidedItem[]
  sending: Sending
  isOnline: boolean
  onIntent: (intent: Intent | null) => void
}) {
  const { t, locale } = useTranslations()
  const isOne = items.length === 1
  const isSending = sending === 'sending'
  const count = formatCount(items.length, locale)
  const verb = t(sending === 'not_sent' ? 'approvals.send.again' : WORDS[intent])
  return (
    <div className="flex flex-wrap gap-2">
      <Button
        type="submit"
        variant={intent === 'validated' ? 'primary' : 'danger'}
        isBusy={isSending}
        disabled={!isOnline}
        // Sums in three currencies take a second line.
        className={`h-auto! min-h-8 flex-1 py-1 whitespace-normal! ${isOne ? 'basis-32' : 'basis-full'}`}
      >
        {isSending ? t('approvals.send.sending') : isOne ? verb : `${verb} ${count} · ${sumsText(sumItems(items), locale)}`}
      </Button>
      {intent === 'validated' ? (
        <Button variant="danger" disabled={isSending} className="min-h-8 flex-1 basis-24" onClick={() => onIntent('rejected')}>
          {isOne ? t('approvals.reject') : `${t('approvals.reject')} ${count}`}
        </Button>
      ) : (
        <Button disabled={isSending} className="min-h-8" onClick={() => onIntent(null)}>
          {t('approvals.back')}
        </Button>
      )}
    </div>
  )
}

/** Some of the list require a code that this person has no device for: where to set one up, and how to go on without them. */
function WithoutFactor({ application, count, onLeaveOut }: { application: string; count: number; onLeaveOut: (() => void) | undefined }) {
  const t = useT()
  return (
    <Notice tone="wait">
      {t('approvals.code.missing', { count })}{' '}
      <a href={paths.enrol(paths.approvals(application))} className="underline">
        {t('approvals.code.enrol')}
      </a>
      {onLeaveOut && (
        <>
          {' · '}
          <button type="button" onClick={onLeaveOut} className="underline">
            {t('approvals.code.leaveOut', { count })}
          </button>
        </>
      )}
    </Notice>
  )
}
