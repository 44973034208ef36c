'use client'

import { Money } from '#components/domain/money.tsx'
import { Table, Td, Th, Tr } from '#components/ui/table.tsx'
import { TableCard } from '#components/ui/table-card.tsx'
import { useWords } from '#components/ui/words.tsx'
import type { StatementDto } from '#lib/finance-dto.ts'
import { formatAmount } from '#lib/format.ts'

/** Opening, movements, closing; beside it what lies on which balance at both ends. */
export function StatementSums({ data }: { data: StatementDto }) {
  const { t, locale } = useWords()
  const { opening, closing, movements, currency } = data
  const steps = [
    { name: t('statement.opening'), amount: opening.total, sign: '' },
    { name: t('statement.collected'), amount: movements.collected, sign: '+' },
    { name: t('statement.funded'), amount: movements.funded, sign: '+' },
    { name: t('statement.paid'), amount: movements.paid, sign: '−' },
    { name: t('statement.fees'), amount: movements.fees, sign: '−' },
    ...(movements.corrected === '0' ? [] : [{ name: t('statement.corrected'), amount: movements.corrected, sign: '' }]),
  ]
  return (
    <div className="grid grid-cols-1 gap-3 lg:grid-cols-2">
      <section className="rounded-lg border border-line bg-surface p-4">
        <dl className="grid gap-1">
          {steps.map((step) => (
            <div key={step.name} className="flex justify-between gap-4">
              <dt className="text-ink-2">{step.name}</dt>
              <dd className="tabular">
                {step.sign !== '' && step.amount !== '0' && <span className="text-quiet">{step.sign} </span>}
                <Money amount={step.amount} currency={currency} />
              </dd>
            </div>
          ))}
          <div className="mt-1 flex items-baseline justify-between gap-4 border-t border-line pt-2">
            <dt className="font-strong">{t('statement.closing')}</dt>
            <dd>
              <Money amount={closing.total} currency={currency} size="balance" />
            </dd>
          </div>
        </dl>
      </section>
      <TableCard label={t('statement.holdings')}>
        <Table
          caption={t('statement.holdings')}
          head={
            <>
              <Th>{t('statement.balanceIn', { currency })}</Th>
              <Th align="end">{t('statement.opening')}</Th>
              <Th align="end">{t('statement.closing')}</Th>
            </>
          }
        >
          {(['collect', 'deposit', 'held', 'total'] as const).map((account) => (
            <Tr key={account} className={account === 'total' ? 'font-strong' : ''}>
              <Td>{t(`statement.account.${account}`)}</Td>
              <Td align="end">{formatAmount(opening[account], locale)}</Td>
              <Td align="end">{formatAmount(closing[account], locale)}</Td>
            </Tr>
          ))}
        </Table>
        <p className="border-t border-line px-3 py-2 text-second text-quiet">
          {t('statement.heldNote')} <Money amount={movements.placed} currency={currency} /> · {t('statement.releasedNote')}{' '}
          <Money amount={movements.released} currency={currency} />
        </p>
      </TableCard>
    </div>
  )
}
