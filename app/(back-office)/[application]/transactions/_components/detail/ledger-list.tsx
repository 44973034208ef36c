'use client'

import { Money } from '#components/domain/money.tsx'
import { TimeText } from '#components/domain/time-text.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { TransactionDetailDto } from '#lib/transaction-detail.ts'
import { Section } from './section.tsx'

/** The ledger entries of the transaction; each posting sums to zero. */
export function LedgerList({ detail: { entries, currency } }: { detail: TransactionDetailDto }) {
  const t = useT()
  return (
    <Section title={t('transaction.ledger')}>
      {entries.length === 0 ? (
        <p className="text-ink-2">{t('transaction.noEntries')}</p>
      ) : (
        <ul aria-label={t('transaction.ledger')}>
          {entries.map((entry) => (
            <li
              key={`${entry.kind} ${entry.account}`}
              className="flex flex-wrap justify-between gap-x-4 border-b border-line py-2 last:border-b-0"
            >
              <span>
                <span className="font-medium">{t(`transaction.postingKind.${entry.kind}`)}</span>
                <span className="text-ink-2">{` · ${t(`transaction.ledgerAccount.${entry.account}`)}`}</span>
                <TimeText at={entry.at} style="full" className="block text-second text-quiet" />
              </span>
              <Money amount={entry.amount} currency={currency} />
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}
