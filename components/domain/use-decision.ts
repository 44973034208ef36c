import { useState } from 'react'
import { useTranslations } from '#components/ui/translations.tsx'
import { useIsOnline } from '#components/ui/use-is-online.ts'
import { callAction, refusalText } from '#lib/action-result.ts'
import type { DecidedItem, DecisionResult } from '#lib/approvals.ts'
import type { DecisionActions, Intent } from './decision-text.ts'

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
export function offeredNotes(intent: Intent, presets: readonly string[]): string[] {
  const last = lastNotes.get(intent)
  return last === undefined ? [...presets] : [last, ...presets.filter((preset) => preset !== last)]
}

export function isLastNote(intent: Intent, note: string): boolean {
  return lastNotes.get(intent) === note
}
