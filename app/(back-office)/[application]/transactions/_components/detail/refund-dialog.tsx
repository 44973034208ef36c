import { useState } from 'react'
import { FormDialog } from '#components/form/form-dialog.tsx'
import { useAction } from '#components/form/use-action.tsx'
import { TextField } from '#components/ui/field.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import type { MessageKey } from '#lib/i18n/translate.ts'
import { compareDecimals, parseTypedAmount } from '#lib/money/money.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { queryKeys } from '#lib/pages/queries.ts'
import { PAYMENT_TEXTS } from '#lib/payments/payment-fields.ts'
import type { RefundsDto, TransactionDetailDto } from '#lib/payments/transactions/transaction-dto.ts'
import { formatAmount } from '#lib/text/format.ts'
import { refundCollect } from '../../actions.ts'

const REFUSALS = {
  not_permitted: 'payment.refused.application_disabled',
  application_disabled: 'payment.refused.application_disabled',
  overloaded: 'payment.refused.overloaded',
  service_disabled: 'payment.refused.service_disabled',
  operator_not_in_service: 'payment.refused.operator_not_in_service',
  amount_out_of_limits: 'transaction.refund.refused.amount_out_of_limits',
  amount_not_multiple: 'transaction.refund.refused.amount_not_multiple',
  external_id_taken: 'payment.refused.external_id_taken',
  nothing_left: 'transaction.refund.refused.nothing_left',
  more_than_is_left: 'transaction.refund.refused.more_than_is_left',
  not_above_fees: 'transaction.refund.refused.not_above_fees',
  earlier_unconfirmed: 'transaction.refund.refused.earlier_unconfirmed',
  not_refundable: 'transaction.refund.refused.not_refundable',
  offline: 'transaction.refund.refused.offline',
} as const

type Props = { application: string; detail: TransactionDetailDto; refunds: RefundsDto; onClose: () => void }
type Problems = Partial<Record<'amount' | 'reason', MessageKey>>

/** The form of a refund. A default export, because it is loaded on demand. */
export default function RefundDialog({ application, detail, refunds, onClose }: Props) {
  const { t, locale } = useTranslations()
  // One per opened form: sent twice, it is one refund.
  const [externalId] = useState(() => crypto.randomUUID())
  const [problems, setProblems] = useState<Problems>({})
  const { transactionId, currency, operator } = detail
  const { run, isPending, error } = useAction(
    (amount: string, reason: string) => refundCollect(application, { transactionId, externalId, amount, reason }),
    {
      words: REFUSALS,
      invalidates: [queryKeys.transactions(application)],
      said: () => t('transaction.refund.sent'),
      onDone: onClose,
    },
  )
  function submit(form: FormData) {
    const [typed, reason] = [String(form.get('amount') ?? ''), String(form.get('reason') ?? '').trim()]
    const amount = parseTypedAmount(typed, locale)
    const problem = amountProblem(amount, refunds.remaining, OPERATORS[operator].decimals)
    const found: Problems = { ...(problem && { amount: problem }), ...(reason === '' && { reason: 'form.field.required' }) }
    setProblems(found)
    if (amount !== undefined && Object.keys(found).length === 0) run(amount, reason)
  }
  return (
    <FormDialog
      title={t('transaction.refund.title')}
      submitLabel={t('transaction.refund.submit')}
      isPending={isPending}
      error={error}
      onSubmit={(_, fields) => submit(fields)}
      onClose={onClose}
    >
      <TextField
        id="refund-amount"
        name="amount"
        label={t('transaction.refund.amount', { currency })}
        hint={t('transaction.refund.amountHint', { remaining: `${formatAmount(refunds.remaining, locale)}\u00a0${currency}` })}
        defaultValue={formatAmount(refunds.remaining, locale)}
        error={problems.amount && t(problems.amount)}
        inputMode="decimal"
        autoComplete="off"
        maxLength={20}
      />
      <TextField
        id="refund-reason"
        name="reason"
        label={t('transaction.refund.reason')}
        hint={t('transaction.refund.reasonHint')}
        error={problems.reason && t(problems.reason)}
        autoComplete="off"
        maxLength={PAYMENT_TEXTS.purpose.lengthMax}
      />
      <p className="text-second text-quiet">{t(`transaction.refund.feesFrom.${refunds.feesFrom}`)}</p>
    </FormDialog>
  )
}

function amountProblem(amount: string | undefined, remaining: string, decimals: number): MessageKey | undefined {
  if (amount === undefined || !/[1-9]/.test(amount)) return 'payment.wrong.amount'
  if (decimals === 0 && /\.\d*[1-9]/.test(amount)) return 'payment.wrong.decimals'
  return compareDecimals(amount, remaining) > 0 ? 'transaction.refund.refused.more_than_is_left' : undefined
}
