'use client'

import { Money } from '#components/domain/money.tsx'
import { TimeText } from '#components/domain/time-text.tsx'
import { Table, Td, Th, Tr } from '#components/ui/table.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { TransactionDetailDto } from '#lib/transaction-detail.ts'
import { Section, WideTable } from './section.tsx'

/** The ledger entries of the transaction; each posting sums to zero. */
export function LedgerTable({ detail: { entries, currency } }: { detail: TransactionDetailDto }) {
  const t = useT()
  const head = (
    <>
      <Th>{t('transaction.time')}</Th>
      <Th>{t('transaction.posting')}</Th>
      <Th>{t('transaction.account')}</Th>
      <Th align="end">{t('transaction.amount')}</Th>
    </>
  )
  return (
    <Section title={t('transaction.ledger')}>
      {entries.length === 0 ? (
        <p className="text-ink-2">{t('transaction.noEntries')}</p>
      ) : (
        <WideTable label={t('transaction.ledger')}>
          <Table caption={t('transaction.ledger')} head={head}>
            {entries.map((entry) => (
              <Tr key={`${entry.kind} ${entry.account}`}>
                <Td>
                  <TimeText at={entry.at} style="full" />
                </Td>
                <Td>{t(`transaction.postingKind.${entry.kind}`)}</Td>
                <Td>{t(`transaction.ledgerAccount.${entry.account}`)}</Td>
                <Td align="end">
                  <Money amount={entry.amount} currency={currency} />
                </Td>
              </Tr>
            ))}
          </Table>
        </WideTable>
      )}
    </Section>
  )
}
