import { type KeyboardEvent, useEffect, useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Kbd } from '#components/ui/display/badge.tsx'
import { TextField } from '#components/ui/field.tsx'
import { useT, useTranslations } from '#components/ui/translations.tsx'
import type { Intent } from './decision-text.tsx'

/** The note of the last decision of each kind, offered and never filled in. Lost with the page. */
const lastNotes = new Map<Intent, string>()

export function rememberNote(intent: Intent, note: string): void {
  lastNotes.set(intent, note.trim())
}

export type KeptNote = { note: string; setNote: (note: string) => void; forget: () => void }

/**
 * A note that somebody has typed about one subject and has not sent. This tab keeps it for this person when they move to another payment, leave the
 * page or load it again. `forget` removes what is kept about the subject, whatever it was for: it is decided. Without a subject nothing is
 * kept: a selection changes with every press.
 */
export function useKeptNote(subject: string | undefined, intent: Intent): KeptNote {
  const { readerId } = useTranslations()
  const keyOf = (each: string) => `note ${readerId} ${subject} ${each}`
  const key = keyOf(intent)
  const [note, setNote] = useState('')
  // After the first paint, which the server may have rendered.
  useEffect(() => setNote((subject && sessionStorage.getItem(key)) ?? ''), [subject, key])
  return {
    note,
    setNote(next) {
      setNote(next)
      if (next === '') sessionStorage.removeItem(key)
      else if (subject) sessionStorage.setItem(key, next)
    },
    forget() {
      for (const each of Object.keys(PRESETS)) sessionStorage.removeItem(keyOf(each))
    },
  }
}

/** The notes that are offered: that of the last decision of this kind, then those that are usual. */
function offeredNotes(intent: Intent, presets: readonly string[]): string[] {
  const last = lastNotes.get(intent)
  return last === undefined ? [...presets] : [last, ...presets.filter((preset) => preset !== last)]
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
  onDraft: (() => void) | undefined
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
          {lastNotes.get(intent) === text ? t('approvals.note.again', { note: shorten(text) }) : shorten(text)}
        </Button>
      ))}
    </div>
  )
}

function shorten(text: string): string {
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text
}
