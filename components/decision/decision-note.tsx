import { type KeyboardEvent, useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Kbd } from '#components/ui/display/badge.tsx'
import { TextField } from '#components/ui/field.tsx'
import { useIsOnline } from '#components/ui/online.tsx'
import { useT, useTranslations } from '#components/ui/translations.tsx'
import type { DecidedItem, DecisionResult } from '#lib/approvals/approvals.ts'
import { callAction, refusalText } from '#lib/result.ts'
import type { DecisionActions, Intent } from './decision-text.tsx'

const REFUSALS = {
  code_required: 'approvals.code.required',
  wrong_code: 'approvals.code.wrong',
  code_throttled: 'approvals.code.throttled',
  second_factor_missing: 'approvals.refused.second_factor_missing',
  not_the_maker: 'approvals.recall.not_the_maker',
  not_waiting: 'approvals.recall.not_waiting',
  offline: 'approvals.send.notSent',
} as const

/** The note of the last decision of each kind, offered and never filled in. Lost with the page. */
const lastNotes = new Map<Intent, string>()

export type Sending = 'idle' | 'sending' | 'not_sent'
type Decision = {
  intent: Intent
  items: readonly DecidedItem[]
  note: string
  code: string | null
}

/**
 * Sends one decision and holds what became of sending it. Nothing counts as done before the server has answered; without a connection
 * nothing is sent. Sending again is safe: the server accepts one decision of a person about a transaction.
 */
export function useDecision(application: string, actions: DecisionActions, onDone: (results: readonly DecisionResult[]) => void) {
  const { t } = useTranslations()
  const isOnline = useIsOnline()
  const [sending, setSending] = useState<Sending>('idle')
  const [problem, setProblem] = useState<string | null>(null)
  const [hasFactor, setHasFactor] = useState(true)

  /** Returns whether the server has answered with results. */
  async function send({ intent, items, note, code }: Decision): Promise<boolean> {
    setProblem(null)
    setSending('sending')
    const answer = await callAction(async () => {
      if (intent !== 'recall') {
        const list = items.map(({ transactionId, contentHash }) => ({ transactionId, contentHash }))
        return actions.decide(application, { decision: intent, note, items: list, ...(code === null ? {} : { code }) })
      }
      const recalled = await actions.recall(application, { transactionId: items[0]?.transactionId, reason: note })
      return recalled.ok ? { ok: true as const, value: [] } : recalled
    })
    if (answer.ok) {
      lastNotes.set(intent, note.trim())
      setSending('idle')
      onDone(answer.value)
      return true
    }
    setSending(answer.error.code === 'offline' ? 'not_sent' : 'idle')
    if (answer.error.code === 'second_factor_missing') setHasFactor(false)
    setProblem(refusalText(t, answer.error.code, REFUSALS))
    return false
  }

  return { isOnline, sending, problem, hasFactor, send, clearProblem: () => setProblem(null) }
}

/** The notes that are offered: that of the last decision of this kind, then those that are usual. */
function offeredNotes(intent: Intent, presets: readonly string[]): string[] {
  const last = lastNotes.get(intent)
  return last === undefined ? [...presets] : [last, ...presets.filter((preset) => preset !== last)]
}

function isLastNote(intent: Intent, note: string): boolean {
  return lastNotes.get(intent) === note
}

const PRESETS = {
  validated: ['invoice', 'list'],
  rejected: ['beneficiary', 'duplicate', 'amount', 'unauthorised', 'evidence'],
  recall: [],
} as const
const SHOWN_MAX = 40

/**
 * The note of an approval, or the reason of a rejection or a recall. The arrow keys put an offered note into the field, as in a history
 * of commands; nothing is filled in unasked.
 */
export function NoteField({
  intent,
  note,
  error,
  onChange,
  onDraft,
}: {
  intent: Intent
  note: string
  error: string | undefined
  onChange: (note: string) => void
  onDraft: () => void
}) {
  const t = useT()
  const [place, setPlace] = useState(-1)
  const isValidation = intent === 'validated'
  const offered = offeredNotes(
    intent,
    PRESETS[intent].map((preset) => t(`approvals.preset.${preset}`)),
  )

  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return
    const next = Math.max(-1, Math.min(offered.length - 1, place + (event.key === 'ArrowUp' ? 1 : -1)))
    event.preventDefault()
    setPlace(next)
    onChange(offered[next] ?? '')
  }

  return (
    <div className="relative grid min-w-0 gap-1.5">
      <TextField
        id="field-note"
        name="note"
        value={note}
        onChange={(event) => {
          setPlace(-1)
          onChange(event.target.value)
        }}
        onFocus={onDraft}
        onKeyDown={onKeyDown}
        error={error}
        label={t(isValidation ? 'approvals.note.label' : 'approvals.dialog.reason')}
        {...(isValidation ? { 'aria-label': t('approvals.note.spec') } : {})}
        placeholder={t(
          isValidation ? 'approvals.dialog.payeeNoteHint' : intent === 'recall' ? 'approvals.recall.hint' : 'approvals.dialog.reasonHint',
        )}
        maxLength={500}
        autoComplete="off"
        required
        className="pr-9"
      />
      {note === '' && offered.length > 0 && (
        <span aria-hidden="true" className="pointer-events-none absolute top-[29px] right-2 text-quiet pointer-coarse:hidden">
          <Kbd>↑</Kbd>
        </span>
      )}
      <OfferedNotes intent={intent} notes={offered} onChoose={onChange} />
    </div>
  )
}

function OfferedNotes({ intent, notes, onChoose }: { intent: Intent; notes: readonly string[]; onChoose: (note: string) => void }) {
  const t = useT()
  if (notes.length === 0) return null
  return (
    <div className="flex flex-wrap gap-1.5">
      {notes.map((text) => (
        <Button key={text} size="small" onClick={() => onChoose(text)} className="font-regular!">
          {isLastNote(intent, text) ? t('approvals.note.again', { note: shorten(text) }) : shorten(text)}
        </Button>
      ))}
    </div>
  )
}

function shorten(text: string): string {
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text
}
