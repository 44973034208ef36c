import type { ReactNode } from 'react'
import { Evidence } from '#components/decision/approval-evidence.tsx'
import { DecisionButtons } from '#components/decision/decision-buttons.tsx'
import { decisionText, progressText, reasonText, sumItems } from '#components/decision/decision-text.tsx'
import { Attachment } from '#components/domain/attachment.tsx'
import { Money } from '#components/domain/money.tsx'
import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { CustomerName, PhoneText, StatusBadge } from '#components/domain/payment.tsx'
import { TimeText } from '#components/domain/time-text.tsx'
import { PanelButton, PanelSteps } from '#components/table/side-panel.tsx'
import { Button } from '#components/ui/button.tsx'
import { Link } from '#components/ui/link.tsx'
import { useNow, useTranslations } from '#components/ui/translations.tsx'
import type { ApprovalRow, DecidedItem } from '#lib/approvals/approvals.ts'
import { paths } from '#lib/pages/paths.ts'
import { OTHER_TEXT_NAMES } from '#lib/payments/payment-fields.ts'
import { formatAmount } from '#lib/text/format.ts'
import { formatDuration } from '#lib/time/format-time.ts'
import { DAY_MS } from '#lib/time/time.ts'
import type { Subject } from './board-state.ts'
import { useBoardContext } from './use-board.ts'

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
      {OTHER_TEXT_NAMES.filter((name) => row[name] !== '').map((name) => (
        <p key={name}>
          <span className="text-quiet">{t(`payment.field.${name}`)}</span> <bdi className="wrap-anywhere">{row[name]}</bdi>
        </p>
      ))}
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

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-quiet">{label}</dt>
      <dd className="min-w-0">{children}</dd>
    </>
  )
}

/** Evidence for the decision about one transaction, followed by its details. */
export function PanelItem({ row }: { row: ApprovalRow }) {
  const { t, locale } = useTranslations()
  const { application } = useBoardContext()
  return (
    <>
      <Evidence application={application} transactionId={row.transactionId} payment={row} />
      <Attachment application={application} transactionId={row.transactionId} attachment={row.attachment} />
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
