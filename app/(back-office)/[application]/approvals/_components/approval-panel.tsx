'use client'

import type { ReactNode } from 'react'
import { Evidence } from '#components/domain/approval-evidence.tsx'
import { decisionText, progressText, reasonText } from '#components/domain/approval-reason.tsx'
import { DecisionButtons } from '#components/domain/decision-controls.tsx'
import { Money } from '#components/domain/money.tsx'
import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { PhoneText } from '#components/domain/phone-text.tsx'
import { StatusBadge } from '#components/domain/status-badge.tsx'
import { TimeText } from '#components/domain/time-text.tsx'
import { Link } from '#components/ui/link.tsx'
import { useNow, useTranslations } from '#components/ui/translations.tsx'
import type { ApprovalRow } from '#lib/approvals.ts'
import { formatAmount } from '#lib/format.ts'
import { formatDuration } from '#lib/format-time.ts'
import { paths } from '#lib/paths.ts'
import { useBoard } from './board-context.ts'

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-quiet">{label}</dt>
      <dd className="min-w-0">{children}</dd>
    </>
  )
}

/** Everything a checker needs to decide about one transaction, and the two buttons. `isSheet`: in a dialog that scrolls by itself. */
export function ApprovalPanel({ row, isSheet = false }: { row: ApprovalRow; isSheet?: boolean }) {
  const { t, locale } = useTranslations()
  const now = useNow()
  const { application, ask } = useBoard()
  const isWaiting = row.status === 'PENDING_APPROVAL'
  return (
    <div className="grid gap-4">
      <div>
        <div className="flex items-center justify-between gap-3">
          <StatusBadge status={row.status} />
          {isWaiting && (
            <span className="text-second text-quiet">
              {t('approvals.expires', { duration: formatDuration(t, new Date(row.expiresAt).getTime() - now.getTime()) })}
            </span>
          )}
        </div>
        <p className="pt-2">
          <Money amount={row.amount} currency={row.currency} size="figure" />
        </p>
        <p>
          {t(row.type === 'DEPOSIT' ? 'approvals.panel.depositTo' : 'approvals.panel.collectFrom')}{' '}
          <Link href={paths.transaction(application, row.transactionId)} className="font-strong hover:underline">
            {row.customerName}
          </Link>
        </p>
      </div>
      <dl className="grid grid-cols-[96px_minmax(0,1fr)] gap-x-3 gap-y-1.5">
        <Fact label={t('approvals.field.phone')}>
          <PhoneText phoneNumber={row.phoneNumber} />
        </Fact>
        <Fact label={t('approvals.field.operator')}>
          <OperatorMark code={row.operator} />
        </Fact>
        <Fact label={t('approvals.field.fees')}>
          <span className="tabular">{`${formatAmount(row.feeSystem, locale)} + ${formatAmount(row.feeApp, locale)}\u00a0${row.currency}`}</span>
        </Fact>
        <Fact label={t('approvals.panel.madeBy')}>
          {row.maker?.name ?? t('approvals.api')}, <TimeText at={row.createdAt} />
        </Fact>
        <Fact label={t('approvals.field.rule')}>
          {row.isDefaultRule ? reasonText(t, locale, row) : row.ruleName}
          <span className="block text-second text-quiet">{progressText(t, row)}</span>
          {row.decisions.map((decision) => (
            <span key={decision.checkerId} className="block text-second text-quiet">
              {decisionText(t, decision)}, <TimeText at={decision.at} />: {t('approvals.quoted', { text: decision.note })}
            </span>
          ))}
        </Fact>
      </dl>
      <Evidence application={application} transactionId={row.transactionId} />
      {/* However long the evidence is, the buttons are in sight. */}
      <div
        className={`sticky border-t border-line bg-surface ${isSheet ? 'bottom-0 -mx-5 -mb-5 px-5 py-3' : '-bottom-4.5 -mx-4.5 -mb-4.5 px-4.5 py-3'}`}
      >
        <DecisionButtons application={application} row={row} isPrimary onAsk={(question) => ask(row, question)} />
      </div>
    </div>
  )
}
