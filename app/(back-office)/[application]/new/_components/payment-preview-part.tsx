import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo } from 'react'
import { reasonText } from '#components/decision/decision-text.tsx'
import { EvidenceLines, type EvidenceView } from '#components/decision/evidence-lines.tsx'
import { AvailabilityNote } from '#components/domain/availability-note.tsx'
import { Money } from '#components/domain/money.tsx'
import { RefreshNotice } from '#components/table/refresh-notice.tsx'
import { Card } from '#components/ui/display/card.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { useT, useTranslations } from '#components/ui/translations.tsx'
import { usePaused } from '#components/ui/use-paused.ts'
import type { ApprovalEvidence } from '#lib/approvals/approvals.ts'
import { addDecimals, compareDecimals } from '#lib/money/money.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import { queryKeys, resource } from '#lib/pages/queries.ts'
import { hasParts } from '#lib/pages/query-client.ts'
import { limitsProblem, limitsValues } from '#lib/payments/limits-text.ts'
import type { PaymentPreview, ShownPaymentPreview } from '#lib/payments/payment-preview.ts'
import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import { moneyText } from '#lib/text/format.ts'
import type { PaymentForm } from './use-payment-form.ts'

const PAUSE_MS = 250

type Props = { application: string; originId: string | null; payment: PaymentForm }
type Asked = { type: string; operator: OperatorCode; phoneNumber?: string; customerName?: string; amount?: string; from?: string }

/** The cost of the payment, the approvals it needs and the warnings its checkers will see, updated while somebody types. */
export function PaymentPreviewPart({ application, originId, payment }: Props) {
  const t = useT()
  const { operator, values } = payment
  const { type, phoneNumber, customerName } = values
  const { amount } = payment.plain()
  const typed = useMemo(
    () => (operator === null ? null : askedOf({ type, operator, phoneNumber, customerName, amount, originId })),
    [type, operator, phoneNumber, customerName, amount, originId],
  )
  const asked = usePaused(typed, PAUSE_MS)
  const { data, isError, refetch } = useQuery({
    // A balance that moves changes the preview too.
    ...resource(
      application,
      [...queryKeys.balances(application), 'preview', asked],
      ['payment-preview', asked ?? {}],
      hasParts<ShownPaymentPreview>('limits', 'fees', 'approval', 'evidence'),
    ),
    enabled: asked !== null,
    placeholderData: keepPreviousData,
  })
  return (
    <Card className="grid content-start gap-4">
      <h2 className="text-amount font-strong">{t('payment.preview.title')}</h2>
      <RefreshNotice isFailed={isError} onRetry={() => void refetch()} />
      {asked && data ? (
        <Preview application={application} asked={asked} preview={data} />
      ) : (
        <p className="text-quiet">{t('payment.preview.empty')}</p>
      )}
    </Card>
  )
}

type Typed = { type: string; operator: OperatorCode; phoneNumber: string; customerName: string; amount: string; originId: string | null }

/** The preview request for the fields filled in so far. */
function askedOf({ type, operator, phoneNumber, customerName, amount, originId }: Typed): Asked {
  return {
    type,
    operator,
    ...(/^\d{10,15}$/.test(phoneNumber) ? { phoneNumber } : {}),
    ...(customerName.trim() === '' ? {} : { customerName: customerName.trim() }),
    ...(/^(?!0+(\.0*)?$)\d{1,10}(\.\d{1,2})?$/.test(amount) ? { amount } : {}),
    ...(originId === null ? {} : { from: originId }),
  }
}

function Preview({ application, asked, preview }: { application: string; asked: Asked; preview: ShownPaymentPreview }) {
  const { t, locale } = useTranslations()
  const { currency, limits, obstacle, fees, balance, evidence, approval } = preview
  const type: TransactionType = asked.type === 'COLLECT' ? 'COLLECT' : 'DEPOSIT'
  const money = (amount: string) => moneyText({ amount, currency }, locale)
  const isOutside =
    asked.amount !== undefined && (compareDecimals(asked.amount, limits.minimum) < 0 || compareDecimals(asked.amount, limits.maximum) > 0)
  return (
    <>
      {preview.disturbed && <AvailabilityNote direction={preview.disturbed} />}
      {obstacle && (
        <Notice tone="bad">
          {t(`payment.obstacle.${obstacle.kind === 'amount_out_of_limits' ? limitsProblem(limits) : obstacle.kind}`, {
            smallest: money(obstacle.smallest ?? '0'),
            ...limitsValues(limits, currency, locale),
          })}
        </Notice>
      )}
      {isOutside && !limits.isEnforced && (
        <Notice tone="wait">{t('payment.preview.outside', limitsValues(limits, currency, locale))}</Notice>
      )}
      <dl className="grid gap-1.5">
        {fees && (
          <>
            <Line name={t('payment.preview.fees')}>
              <Money amount={addDecimals(fees.system, fees.app)} currency={currency} />
            </Line>
            <Line name={t(type === 'DEPOSIT' ? 'payment.preview.total' : 'payment.preview.credit')}>
              <Money amount={fees.net} currency={currency} />
            </Line>
          </>
        )}
        {balance && (
          <>
            <Line name={t('payment.preview.balance')}>
              <Money amount={balance.now} currency={currency} />
            </Line>
            {fees && (
              <Line name={t('payment.preview.afterThis')} isWarning={balance.afterThis.startsWith('-')}>
                <Money amount={balance.afterThis} currency={currency} />
              </Line>
            )}
            {balance.waitingCount > 0 && (
              <Line
                name={t('payment.preview.afterAll', { count: balance.waitingCount })}
                isWarning={balance.afterAllWaiting.startsWith('-')}
              >
                <Money amount={balance.afterAllWaiting} currency={currency} />
              </Line>
            )}
          </>
        )}
      </dl>
      {approval && <ApprovalNeeds approval={approval} amount={asked.amount ?? '0'} />}
      {evidence && (
        <section aria-label={t('payment.preview.notice')} className="grid gap-3">
          <h3 className="text-second text-quiet">{t('payment.preview.notice')}</h3>
          <EvidenceLines application={application} view={viewOf(preview, evidence, asked.operator, type)} />
        </section>
      )}
    </>
  )
}

/** The evidence that checkers will see, except for the balance, which is above, and the account. */
function viewOf(
  { currency, approval }: PaymentPreview,
  evidence: ApprovalEvidence,
  operator: OperatorCode,
  type: TransactionType,
): EvidenceView {
  const needed = approval ? countNeeded(approval.steps) : 0
  return {
    row: {
      type,
      operator,
      currency,
      status: 'PENDING_APPROVAL',
      given: 0,
      needed,
      needsCode: approval?.needsCode ?? false,
      apiMayDecide: false,
    },
    // The account is below the number.
    evidence: { ...evidence, balance: null, account: null },
    deciders: approval && { isMe: false, others: [...approval.checkers] },
  }
}

function countNeeded(steps: readonly number[]): number {
  return steps.reduce((sum, step) => sum + step, 0)
}

/** How many approvals, why, and whether with a one-time code. */
function ApprovalNeeds({ approval, amount }: { approval: NonNullable<PaymentPreview['approval']>; amount: string }) {
  const { t, locale } = useTranslations()
  const { reasons, ruleName, steps, needsCode } = approval
  // A person makes it, which is the reason where no rule names another.
  const reason = reasonText(t, locale, { amount, reasons, ruleName, source: 'person', maker: { personId: '', name: '' } })
  return (
    <p>
      <strong>{t('payment.preview.approvals', { count: countNeeded(steps) })}</strong>
      {steps.length > 1 && <> {t('payment.preview.steps', { first: steps[0] ?? 0, second: steps[1] ?? 0 })}</>}
      {needsCode && <> {t('payment.preview.code')}</>}
      <span className="block text-second text-quiet">{reason}</span>
    </p>
  )
}

function Line({ name, isWarning = false, children }: { name: string; isWarning?: boolean; children: ReactNode }) {
  return (
    <div className="flex justify-between gap-x-4">
      <dt className={isWarning ? 'text-bad' : 'text-quiet'}>{name}</dt>
      <dd className={`whitespace-nowrap ${isWarning ? 'text-bad' : ''}`}>{children}</dd>
    </div>
  )
}
