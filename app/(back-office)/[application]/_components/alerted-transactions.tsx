'use client'

import { Money } from '#components/domain/money.tsx'
import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { StatusBadge } from '#components/domain/status-badge.tsx'
import { RelativeTime } from '#components/domain/time-text.tsx'
import { Link } from '#components/ui/link.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import type { AlertedTransactions } from '#lib/finance-dto.ts'
import { formatCount } from '#lib/format.ts'
import { paths } from '#lib/paths.ts'

type Props = {
  application: string
  /** The id of the heading. */
  id: string
  heading: 'overview.contradictions' | 'overview.sharedReferences'
  text: 'overview.contradictionsText' | 'overview.sharedReferencesText'
  alerted: AlertedTransactions
}

/** Transactions to clarify with their operator; the newest have a link. Renders nothing if there are none. */
export function AlertedSection({ application, id, heading, text, alerted: { count, isMore, newest } }: Props) {
  const { t, locale } = useTranslations()
  if (count === 0) return null
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className="text-amount font-strong text-bad">
        {t(heading, { count: `${formatCount(count, locale)}${isMore ? '+' : ''}` })}
      </h2>
      <p className="text-ink-2">{t(text)}</p>
      <ul className="mt-2 rounded-lg border border-line bg-surface px-3">
        {newest.map(({ transactionId, operator, currency, amount, status, at }) => (
          <li key={transactionId} className="border-b border-line last:border-b-0">
            <Link
              href={paths.transaction(application, transactionId)}
              className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-1.5 hover:underline"
            >
              <OperatorMark code={operator} />
              <StatusBadge status={status} />
              <Money amount={amount} currency={currency} />
              <RelativeTime at={at} className="text-second text-quiet" />
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
