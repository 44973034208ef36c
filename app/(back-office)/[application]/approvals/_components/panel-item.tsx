'use client'

import type { ReactNode } from 'react'
import { Evidence } from '#components/domain/approval-evidence.tsx'
import { decisionText, progressText, reasonText } from '#components/domain/approval-reason.tsx'
import { DecisionButtons } from '#components/domain/decision-buttons.tsx'
import { TimeText } from '#components/domain/time-text.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import type { ApprovalRow } from '#lib/approvals.ts'
import { formatAmount } from '#lib/format.ts'
import { useBoardContext } from './board-context.ts'

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-quiet">{label}</dt>
      <dd className="min-w-0">{children}</dd>
    </>
  )
}

/** What to know before deciding about one transaction, and below it the details. */
export function PanelItem({ row }: { row: ApprovalRow }) {
  const { t, locale } = useTranslations()
  const { application } = useBoardContext()
  return (
    <>
      <Evidence application={application} transactionId={row.transactionId} payment={row} />
      <dl className="grid grid-cols-[96px_minmax(0,1fr)] gap-x-3 gap-y-1.5 border-t border-line pt-4">
        <Fact label={t('approvals.field.rule')}>
          {row.isDefaultRule ? reasonText(t, locale, row) : row.ruleName}
          <span className="block text-second text-quiet">{progressText(t, row)}</span>
          {row.decisions.map((decision) => (
            <span key={decision.checkerId} className="block text-second text-quiet">
              {decisionText(t, decision)}, <TimeText at={decision.at} /> {t('approvals.quoted', { text: decision.note })}
            </span>
          ))}
        </Fact>
        <Fact label={t('approvals.panel.madeBy')}>
          {row.maker?.name ?? t('approvals.api')}, <TimeText at={row.createdAt} />
        </Fact>
        <Fact label={t('approvals.field.fees')}>
          <span className="tabular">{`${formatAmount(row.feeSystem, locale)} + ${formatAmount(row.feeApp, locale)}\u00a0${row.currency}`}</span>
        </Fact>
        <Fact label={t('approvals.field.fingerprint')}>
          <code className="tabular">{row.contentHash.slice(0, 12)}</code>
        </Fact>
      </dl>
    </>
  )
}

/** In place of the note where this person may not validate: why, and what they may do. */
export function PanelObstacle({ row }: { row: ApprovalRow }) {
  const { application, ask } = useBoardContext()
  return <DecisionButtons application={application} row={row} isPrimary onAsk={(intent) => ask(intent, row)} />
}
