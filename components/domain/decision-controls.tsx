'use client'

import { useState } from 'react'
import { definePart, LazyPart } from '#components/ui/lazy-part.tsx'
import { toast } from '#components/ui/toast.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import type { ApprovalRow, DecidedItem, DecisionResult } from '#lib/approvals.ts'
import { DecisionButtons } from './decision-buttons.tsx'
import type { Report } from './decision-report.tsx'
import { type DecisionActions, doneText, type Intent } from './decision-text.ts'

const FORM = definePart(() => import('./decision-form.tsx'))
const REPORT = definePart(async () => ({ default: (await import('./decision-report.tsx')).DecisionReport }))

type DecisionControlsProps = {
  application: string
  row: ApprovalRow
  actions: DecisionActions
  /** Something was decided or refused: what is shown may be old. */
  onDecided: (results: readonly DecisionResult[]) => void
}

/** The buttons and, once one is pressed, the note in their place: for the page of one transaction. Needs the words under `approvals.`. */
export function DecisionControls({ application, row, actions, onDecided }: DecisionControlsProps) {
  const { t, locale } = useTranslations()
  // What was shown when somebody asked is what is decided, also if it changes while they write.
  const [asked, setAsked] = useState<{ intent: Intent; row: ApprovalRow } | null>(null)
  const [report, setReport] = useState<Report | null>(null)
  if (report) return <LazyPart part={REPORT} props={{ report, onClose: () => setReport(null) }} />
  if (!asked) return <DecisionButtons application={application} row={row} isPrimary onAsk={(intent) => setAsked({ intent, row })} />

  function finish(intent: Intent, results: readonly DecisionResult[], items: readonly DecidedItem[]) {
    const [result, item] = [results[0], items[0]]
    if (result?.kind === 'refused' && intent !== 'recall') setReport({ items, results, decision: intent })
    else if (item) toast(doneText(t, locale, intent, item, result?.kind === 'done' ? result : undefined))
    setAsked(null)
    onDecided(results)
  }

  return (
    <LazyPart
      part={FORM}
      props={{
        application,
        intent: asked.intent,
        items: [asked.row],
        actions,
        askedAt: 1,
        onIntent: (intent) => setAsked(intent && { ...asked, intent }),
        onDraft: () => undefined,
        onDone: (results, items) => finish(asked.intent, results, items),
      }}
    />
  )
}
