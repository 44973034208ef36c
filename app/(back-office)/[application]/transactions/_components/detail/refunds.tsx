import { useState } from 'react'
import { Money } from '#components/domain/money.tsx'
import { StatusBadge } from '#components/domain/payment.tsx'
import { TimeText } from '#components/domain/time-text.tsx'
import { Button } from '#components/ui/button.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { Link } from '#components/ui/link.tsx'
import { definePart, LazyPart } from '#components/ui/overlay/lazy-part.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { paths } from '#lib/pages/paths.ts'
import type { TransactionDetailDto } from '#lib/payments/transactions/transaction-dto.ts'
import { formatAmount } from '#lib/text/format.ts'
import { Section } from './timeline.tsx'

const DIALOG = definePart(() => import('./refund-dialog.tsx'))

type Props = { application: string; detail: TransactionDetailDto; canCreate: boolean }

/** The refunds of a collect with what is left of it, and the button for another one. Renders nothing for every other transaction. */
export function Refunds({ application, detail, canCreate }: Props) {
  const { t, locale } = useTranslations()
  const [isOpen, setIsOpen] = useState(false)
  const { refunds, amount, currency } = detail
  if (!refunds) return null
  const money = (decimal: string) => `${formatAmount(decimal, locale)}\u00a0${currency}`
  const { made, refunded, remaining, obstacle } = refunds
  const isOffered = canCreate && obstacle === null && remaining !== '0'
  // To people who can refund nothing, a collect of which nothing was refunded has nothing to show.
  if (made.length === 0 && !isOffered && obstacle === null) return null
  return (
    <Section title={t('transaction.refunds')}>
      <div className="grid gap-2">
        <p className="text-ink-2">
          {made.length === 0
            ? t('transaction.refunds.none')
            : t('transaction.refunds.sum', { refunded: money(refunded), amount: money(amount), remaining: money(remaining) })}
        </p>
        {made.length > 0 && (
          <ul aria-label={t('transaction.refunds')}>
            {made.map((refund) => (
              <li
                key={refund.transactionId}
                className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line py-2 last:border-b-0"
              >
                <Link href={paths.transaction(application, refund.transactionId)} className="text-accent hover:underline">
                  <TimeText at={refund.createdAt} style="full" />
                </Link>
                <StatusBadge status={refund.status} />
                <span className="ml-auto">
                  <Money amount={refund.amount} currency={currency} />
                </span>
              </li>
            ))}
          </ul>
        )}
        {(obstacle === 'contradicted' || obstacle === 'adjusted') && (
          <Notice tone="wait">{t(`transaction.refund.obstacle.${obstacle}`)}</Notice>
        )}
        {isOffered && (
          <span className="no-print">
            <Button onClick={() => setIsOpen(true)}>{t('transaction.refund.open')}</Button>
          </span>
        )}
      </div>
      {isOpen && <LazyPart part={DIALOG} props={{ application, detail, refunds, onClose: () => setIsOpen(false) }} />}
    </Section>
  )
}

/** The collect that a deposit refunds. Renders nothing for every other transaction. */
export function RefundOf({ application, detail: { refundOf, currency, status } }: Omit<Props, 'canCreate'>) {
  const { t, locale } = useTranslations()
  if (!refundOf) return null
  const waits = refundOf.isDoubted && status === 'PENDING'
  return (
    <Notice
      action={
        <Link href={paths.transaction(application, refundOf.transactionId)} className="underline">
          {t('transaction.lineage.open')}
        </Link>
      }
    >
      {t('transaction.refundOf', { amount: `${formatAmount(refundOf.amount, locale)}\u00a0${currency}` })}
      {waits && ` ${t('transaction.refundWaits')}`}
    </Notice>
  )
}
