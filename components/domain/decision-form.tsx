'use client'

import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Notice } from '#components/ui/empty-state.tsx'
import { TextField } from '#components/ui/field.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import type { DecidedItem, DecisionResult } from '#lib/approvals.ts'
import { formatCount } from '#lib/format.ts'
import { NoteField } from './decision-note.tsx'
import { type DecisionActions, type Intent, sumItems, sumsText } from './decision-text.ts'
import { WithoutFactor } from './decision-without-factor.tsx'
import { useDecision } from './use-decision.ts'

export type DecisionFormProps = {
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

const WORDS = { validated: 'approvals.validate', rejected: 'approvals.reject', recall: 'approvals.recall.submit' } as const

/** The note, a one-time code where an item requires one, and the buttons that send. For one transaction or a selection. */
export default function DecisionForm({ application, intent, actions, askedAt, onIntent, onDraft, onDone, ...props }: DecisionFormProps) {
  const { t, locale } = useTranslations()
  const form = useRef<HTMLFormElement>(null)
  const [leftOut, setLeftOut] = useState<readonly DecidedItem[]>([])
  const [note, setNote] = useState('')
  const [code, setCode] = useState('')
  const [isChecked, setIsChecked] = useState(false)
  const items = props.items.filter((item) => !leftOut.includes(item))
  const { isOnline, sending, problem, hasFactor, send, clearProblem } = useDecision(application, actions, (results) =>
    onDone(results, items),
  )
  const isValidation = intent === 'validated'
  const codeless = isValidation ? items.filter((item) => item.canApprove === 'second_factor_missing' || (item.needsCode && !hasFactor)) : []
  const needsCode = isValidation && codeless.length === 0 && items.some((item) => item.needsCode)
  const missing = isChecked ? t('form.field.required') : undefined
  const field = (name: 'note' | 'code') => form.current?.querySelector<HTMLInputElement>(`[name=${name}]`)

  // biome-ignore lint/correctness/useExhaustiveDependencies: another intent has another field
  useEffect(() => {
    if (askedAt > 0) form.current?.querySelector<HTMLInputElement>('[name=note]')?.focus()
  }, [askedAt, intent])

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (sending === 'sending' || !isOnline) return
    setIsChecked(true)
    if (note.trim() === '') return field('note')?.focus()
    if (needsCode && code.trim() === '') return field('code')?.focus()
    if (await send({ intent, items, note, code: needsCode ? code : null })) return
    setCode('')
    setIsChecked(false)
    field('code')?.focus()
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.current?.requestSubmit()
  }

  const verb = t(sending === 'not_sent' ? 'approvals.send.again' : WORDS[intent])
  const label = items.length === 1 ? verb : `${verb} ${formatCount(items.length, locale)} · ${sumsText(sumItems(items), locale)}`
  return (
    <form ref={form} noValidate onSubmit={(event) => void submit(event)} onKeyDown={onKeyDown} className="grid gap-2.5">
      {problem && <Notice tone="bad">{problem}</Notice>}
      {!isOnline && <Notice tone="wait">{t('approvals.send.offline')}</Notice>}
      {codeless.length > 0 && (
        <WithoutFactor
          application={application}
          count={codeless.length}
          onLeaveOut={
            codeless.length === items.length
              ? undefined
              : () => {
                  clearProblem()
                  setLeftOut(codeless)
                }
          }
        />
      )}
      <NoteField intent={intent} note={note} error={note.trim() === '' ? missing : undefined} onChange={setNote} onDraft={onDraft} />
      {needsCode && (
        <TextField
          id="field-code"
          name="code"
          value={code}
          onChange={(event) => setCode(event.target.value)}
          error={code.trim() === '' ? missing : undefined}
          label={t('approvals.code.label')}
          hint={t('approvals.code.hint', { count: items.length })}
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={7}
          className="max-w-36 tabular"
        />
      )}
      <div className="flex flex-wrap gap-2">
        <Button
          type="submit"
          variant={isValidation ? 'primary' : 'danger'}
          isBusy={sending === 'sending'}
          disabled={!isOnline}
          // Sums in three currencies take a second line.
          className={`h-auto! min-h-8 flex-1 py-1 whitespace-normal! ${items.length === 1 ? 'basis-32' : 'basis-full'}`}
        >
          {sending === 'sending' ? t('approvals.send.sending') : label}
        </Button>
        {isValidation ? (
          <Button
            variant="danger"
            disabled={sending === 'sending'}
            className="min-h-8 flex-1 basis-24"
            onClick={() => onIntent('rejected')}
          >
            {items.length === 1 ? t('approvals.reject') : `${t('approvals.reject')} ${formatCount(items.length, locale)}`}
          </Button>
        ) : (
          <Button disabled={sending === 'sending'} className="min-h-8" onClick={() => onIntent(null)}>
            {t('approvals.back')}
          </Button>
        )}
      </div>
    </form>
  )
}
