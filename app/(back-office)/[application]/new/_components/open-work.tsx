import { type ReactNode, useId } from 'react'
import { Money } from '#components/domain/money.tsx'
import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { CustomerName } from '#components/domain/payment.tsx'
import { RelativeTime } from '#components/domain/time-text.tsx'
import { ErrorNotice } from '#components/form/error-notice.tsx'
import { useAction } from '#components/form/use-action.tsx'
import { Button, ButtonLink } from '#components/ui/button.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { OwnTransaction } from '#lib/finance/finance-dto.ts'
import { isOperatorCode, OPERATORS } from '#lib/operators/operators.ts'
import { newPaymentPath, type PaymentDraft } from '#lib/payments/payment-preview.ts'
import { discardDraft } from '../actions.ts'

type Props = { application: string; drafts: readonly PaymentDraft[]; returned: readonly OwnTransaction[] }

/** This maker's open work: payments that a checker returned, and drafts. Renders nothing if there is none. */
export function OpenWork({ application, drafts, returned }: Props) {
  const t = useT()
  if (drafts.length + returned.length === 0) return null
  return (
    <div className="grid gap-8 lg:grid-cols-[minmax(0,5fr)_minmax(0,6fr)]">
      {returned.length > 0 && (
        <Part title={t('payment.returned')}>
          {returned.map((each) => (
            <Returned key={each.transactionId} application={application} transaction={each} />
          ))}
        </Part>
      )}
      {drafts.length > 0 && (
        <Part title={t('payment.drafts')}>
          {drafts.map((draft) => (
            <Draft key={draft.externalId} application={application} draft={draft} />
          ))}
        </Part>
      )}
    </div>
  )
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="min-w-0">
      <h2 id={id} className="text-amount font-strong">
        {title}
      </h2>
      <ul className="mt-2 rounded-lg border border-line bg-surface px-3">{children}</ul>
    </section>
  )
}

const LINE = 'grid gap-1 border-b border-line py-2.5 last:border-b-0'

function Returned({ application, transaction }: { application: string; transaction: OwnTransaction }) {
  const t = useT()
  const { transactionId, customerName, amount, currency, operator, message, at } = transaction
  return (
    <li className={LINE}>
      <span className="flex justify-between gap-x-4">
        <CustomerName name={customerName} className="min-w-0 truncate font-medium" />
        <Money amount={amount} currency={currency} />
      </span>
      {message !== null && (
        <span dir="auto" className="wrap-anywhere text-bad">
          {message}
        </span>
      )}
      <span className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 text-second text-quiet">
        <span className="flex flex-wrap gap-x-4">
          <OperatorMark code={operator} />
          <RelativeTime at={at} />
        </span>
        <ButtonLink size="small" href={newPaymentPath(application, { from: transactionId })}>
          {t('payment.repair')}
          <span className="sr-only"> {customerName}</span>
        </ButtonLink>
      </span>
    </li>
  )
}

function Draft({ application, draft: { externalId, originId, content, savedAt } }: { application: string; draft: PaymentDraft }) {
  const t = useT()
  const { customerName, phoneNumber, amount, operator } = content
  const name = customerName.trim() || phoneNumber || t('payment.unnamed')
  const { run, isPending, error } = useAction(() => discardDraft(application, { externalId }), { words: {}, refreshes: 'answered' })
  return (
    <li className={LINE}>
      {error && <ErrorNotice error={error} />}
      <span className="flex justify-between gap-x-4">
        <CustomerName name={name} className="min-w-0 truncate font-medium" />
        {isOperatorCode(operator) && /^\d+(\.\d{1,2})?$/.test(amount) && (
          <Money amount={amount} currency={OPERATORS[operator].country.currency} />
        )}
      </span>
      <span className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 text-second text-quiet">
        <span>
          {t('payment.savedAt')} <RelativeTime at={savedAt} />
        </span>
        <span className="flex gap-2">
          <ButtonLink size="small" href={newPaymentPath(application, { payment: externalId, from: originId ?? undefined })}>
            {t('payment.continue')}
            <span className="sr-only"> {name}</span>
          </ButtonLink>
          <Button size="small" variant="danger" isBusy={isPending} onClick={() => run()}>
            {t('payment.deleteDraft')}
            <span className="sr-only"> {name}</span>
          </Button>
        </span>
      </span>
    </li>
  )
}
