'use client'

import { sumItems } from '#components/domain/decision-text.ts'
import { Money } from '#components/domain/money.tsx'
import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { CustomerName } from '#components/domain/payment.tsx'
import { PhoneText } from '#components/domain/phone-text.tsx'
import { StatusBadge } from '#components/domain/status-badge.tsx'
import { PanelButton, PanelSteps } from '#components/table/panel-buttons.tsx'
import { Button } from '#components/ui/button.tsx'
import { Link } from '#components/ui/link.tsx'
import { useNow, useTranslations } from '#components/ui/translations.tsx'
import type { ApprovalRow, DecidedItem } from '#lib/approvals.ts'
import { DAY_MS } from '#lib/durations.ts'
import { formatDuration } from '#lib/format-time.ts'
import { paths } from '#lib/paths.ts'
import { useBoardContext } from './board-context.ts'
import type { Subject } from './board-state.ts'

/** Always in sight: how much to whom, and the ways to the neighbours and out. */
export function PanelHead({ subject }: { subject: Subject }) {
  const { t } = useTranslations()
  const { dispatch, index, list, move } = useBoardContext()
  const isOne = subject.kind === 'one'
  return (
    <header className="border-b border-line px-4.5 pt-3 pb-3">
      <div className="-mr-2 flex items-center gap-1 pb-1">
        {isOne ? <StatusBadge status={subject.row.status} /> : <strong>{t('table.selected', { count: subject.items.length })}</strong>}
        <span className="ml-auto" />
        {isOne ? (
          <PanelSteps index={index} total={list.rows.length} onMove={(by) => move(by, 'panel')} />
        ) : (
          <Button size="small" onClick={() => dispatch({ type: 'cleared' })}>
            {t('ui.clear')}
          </Button>
        )}
        <span className="min-[1400px]:hidden">
          <PanelButton icon="close" label={t('ui.close')} onPress={() => dispatch({ type: 'closed' })} />
        </span>
      </div>
      {isOne ? <OneHead row={subject.row} /> : <Sums items={subject.items} />}
    </header>
  )
}

function OneHead({ row }: { row: ApprovalRow }) {
  const { t } = useTranslations()
  const { application } = useBoardContext()
  const leftMs = new Date(row.expiresAt).getTime() - useNow().getTime()
  return (
    <>
      <div className="flex flex-wrap items-baseline justify-between gap-x-3">
        <Money amount={row.amount} currency={row.currency} size="figure" />
        {row.status === 'PENDING_APPROVAL' && (
          <span className={`text-second ${leftMs < DAY_MS ? 'text-wait' : 'text-quiet'}`}>
            {t('approvals.expires', { duration: formatDuration(t, leftMs) })}
          </span>
        )}
      </div>
      <p>
        {t(row.type === 'DEPOSIT' ? 'approvals.panel.depositTo' : 'approvals.panel.collectFrom')}{' '}
        <Link
          href={paths.transaction(application, row.transactionId)}
          className="font-strong underline decoration-line-2 hover:decoration-ink"
        >
          <CustomerName name={row.customerName} />
        </Link>
      </p>
      <p className="flex flex-wrap gap-x-3">
        <PhoneText phoneNumber={row.phoneNumber} className="font-medium" />
        <OperatorMark code={row.operator} />
      </p>
    </>
  )
}

function Sums({ items }: { items: readonly DecidedItem[] }) {
  return (
    <ul className="grid gap-0.5">
      {sumItems(items).map((sum) => (
        <li key={sum.currency} className="flex items-baseline justify-between gap-3">
          <Money amount={sum.amount} currency={sum.currency} size="balance" />
          <span className="text-second text-quiet tabular">× {sum.count}</span>
        </li>
      ))}
    </ul>
  )
}
