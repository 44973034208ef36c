import type { ReactNode } from 'react'
import { Badge, type Tone } from '#components/ui/display/badge.tsx'
import { useT, useTranslations } from '#components/ui/translations.tsx'
import type { DecidedItem, RiskFlag } from '#lib/approvals/approvals.ts'
import type { AdjustmentKind } from '#lib/finance/finance-dto.ts'
import type { Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import type { RefundMark } from '#lib/payments/refunds.ts'
import type { TransactionStatus, TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import { formatPhone } from '#lib/text/format.ts'
import { adjustedText } from './adjusted-text.ts'
import { Money } from './money.tsx'
import { OperatorMark } from './operator-mark.tsx'

/** The payment of a decision. Rows, the panel, bulk decisions and a transaction's page all show it with the parts below. */
export type Payment = Pick<DecidedItem, 'type' | 'amount' | 'currency' | 'customerName' | 'phoneNumber' | 'operator' | 'risks'>

/** A person's name in the direction of its own script. */
export function CustomerName({ name, className = '' }: { name: string; className?: string }) {
  return (
    <bdi dir="auto" className={className}>
      {name}
    </bdi>
  )
}

/** How much, over which operator pays or collects it. */
export function PaymentAmount({ payment, secondClass = '' }: { payment: Payment; secondClass?: string }) {
  return (
    <>
      <Money amount={payment.amount} currency={payment.currency} size="amount" className="block" />
      <span className={`block ${secondClass}`}>
        <OperatorMark code={payment.operator} />
      </span>
    </>
  )
}

/** Who, over the number. */
export function PaymentParty({ payment, secondClass = '' }: { payment: Payment; secondClass?: string }) {
  return (
    <span className="block min-w-0">
      <span className="block truncate font-strong">
        <CustomerName name={payment.customerName} />
      </span>
      <PhoneText phoneNumber={payment.phoneNumber} className={`block text-second text-quiet ${secondClass}`} />
    </span>
  )
}

/** Risk flags. `isOne`: the most important one and the number of others, for one line of a list. */
export function RiskBadges({ payment: { risks, type }, isOne = false }: { payment: Pick<Payment, 'risks' | 'type'>; isOne?: boolean }) {
  const { t, locale } = useTranslations()
  if (risks.length === 0) return null
  const words = risks.map((risk) => riskText(t, locale, risk, type))
  const [first = '', ...others] = words
  if (!isOne) {
    return (
      <ul aria-label={t('approvals.risk.title')} className="flex flex-wrap gap-1.5">
        {words.map((text) => (
          <li key={text}>
            <Badge tone="wait" hasDot>
              {text}
            </Badge>
          </li>
        ))}
      </ul>
    )
  }
  return (
    <span className="flex min-w-0 gap-1">
      <span className="min-w-0 truncate rounded-full bg-wait-soft px-2 text-second font-medium text-wait" title={first}>
        {first}
      </span>
      {others.length > 0 && (
        <span className="rounded-full bg-wait-soft px-1.5 text-second font-medium text-wait" title={others.join(', ')}>
          <span aria-hidden="true">+{others.length}</span>
          <span className="sr-only">{others.join(', ')}</span>
        </span>
      )}
    </span>
  )
}

/** One payment of a list: name, number and operator, amount at the end, risk flags below. */
export function PaymentLine({ payment, mark, children }: { payment: Payment; mark?: ReactNode; children?: ReactNode }) {
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-1">
      <span className="flex justify-between gap-3">
        <span className="flex min-w-0 items-center gap-2">
          {mark}
          <CustomerName name={payment.customerName} className="truncate font-medium" />
        </span>
        <Money amount={payment.amount} currency={payment.currency} />
      </span>
      <span className="flex flex-wrap justify-between gap-x-3 text-second text-quiet">
        <PhoneText phoneNumber={payment.phoneNumber} />
        <OperatorMark code={payment.operator} />
      </span>
      <RiskBadges payment={payment} />
      {children}
    </div>
  )
}

function riskText(t: Translate, locale: Locale, risk: RiskFlag, type: TransactionType): string {
  if (risk.kind === 'times') return t('approvals.risk.times', { times: timesText(risk.times, locale) })
  if (risk.kind === 'first') return t(`approvals.risk.first.${type}`)
  return t(`approvals.risk.${risk.kind}`)
}

/** `2.5`, `45`: a decimal only where it says something. */
export function timesText(times: number, locale: Locale): string {
  const text = times >= 10 ? String(Math.round(times)) : String(times)
  return locale === 'fr' ? text.replace('.', ',') : text
}

/** A phone number in its country's groups. Copying includes the spaces, so exports use the raw digits. */
export function PhoneText({ phoneNumber, className = '' }: { phoneNumber: string; className?: string }) {
  return <span className={`tabular whitespace-nowrap ${className}`}>{formatPhone(phoneNumber)}</span>
}

/** The customer or beneficiary: the whole name, with the phone number below it. */
export function Customer({ name, phoneNumber }: { name: string; phoneNumber: string }) {
  return (
    <span className="block min-w-0">
      <span dir="auto" className="block text-left font-strong wrap-anywhere">
        {name}
      </span>
      <PhoneText phoneNumber={phoneNumber} className="block text-second text-quiet" />
    </span>
  )
}

/** The type of a transaction in words. */
export function TypeWord({ type }: { type: TransactionType }) {
  return useT()(`type.${type}`)
}

const TONES: Record<TransactionStatus, Tone> = { SUCCESS: 'ok', FAILED: 'bad', PENDING_APPROVAL: 'wait', PENDING: 'run' }

/** A transaction's status as a word with a dot in its colour. Adjustments of the books leave it as it is and are named beside it. */
type Marks = { adjustments?: readonly AdjustmentKind[]; refund?: RefundMark | null }

export function StatusBadge({ status, adjustments = [], refund = null }: { status: TransactionStatus } & Marks) {
  const t = useT()
  const badge = (
    <Badge tone={TONES[status]} hasDot>
      {t(`status.${status}`)}
    </Badge>
  )
  if (adjustments.length === 0 && refund === null) return badge
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2">
      {badge}
      <AdjustedNote adjustments={adjustments} />
      {refund !== null && <span className="text-second font-medium whitespace-nowrap">{t(`transaction.refundMark.${refund}`)}</span>}
    </span>
  )
}

/** The adjustments that two people made in the books after the status was final; nothing if there are none. */
export function AdjustedNote({ adjustments }: { adjustments: readonly AdjustmentKind[] }) {
  const t = useT()
  if (adjustments.length === 0) return null
  return (
    <span className="text-second font-medium whitespace-nowrap" title={t('transaction.adjustedMeans')}>
      {adjustedText(t, adjustments)}
    </span>
  )
}
