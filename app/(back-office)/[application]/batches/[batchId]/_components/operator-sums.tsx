import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { Table, Td, Th, Tr } from '#components/ui/table.tsx'
import type { BatchDto } from '#lib/batch-dto.ts'
import type { BatchWords } from '#lib/batch-text.ts'
import { formatAmount, formatCount, moneyText } from '#lib/format.ts'

/** Sums and fees per operator, and the balance after this file and after everything that waits. */
export function OperatorSums({ batch, words: { t, locale } }: { batch: BatchDto; words: BatchWords }) {
  const isDeposit = batch.type === 'DEPOSIT'
  const head = (
    <>
      <Th>{t('batches.field.operator')}</Th>
      <Th align="end">{t('batches.rows')}</Th>
      <Th align="end">{t('batches.sum')}</Th>
      <Th align="end">{t('batches.fees')}</Th>
      {isDeposit && <Th align="end">{t('batches.balanceAfter')}</Th>}
      {isDeposit && <Th align="end">{t('batches.balanceAfterWaiting')}</Th>}
    </>
  )
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section aria-label={t('batches.effect')} tabIndex={0} className="relative grid grid-cols-1 gap-2 overflow-x-auto">
      <Table caption={t('batches.effect')} head={head}>
        {batch.operators.map((sum) => (
          <Tr key={sum.operator}>
            <Td>
              <OperatorMark code={sum.operator} />
            </Td>
            <Td align="end">{formatCount(sum.count, locale)}</Td>
            <Td align="end" className="whitespace-nowrap">
              {moneyText(sum, locale)}
            </Td>
            <Td align="end">{formatAmount(sum.fees, locale)}</Td>
            {isDeposit && <Balance amount={sum.balanceAfter} locale={locale} />}
            {isDeposit && <Balance amount={sum.balanceAfterWaiting} locale={locale} />}
          </Tr>
        ))}
      </Table>
      <p className="text-ink-2">
        {t('batches.total')}{' '}
        {batch.sums.map((sum) => (
          <strong key={sum.currency} className="mr-3 whitespace-nowrap tabular">
            {moneyText(sum, locale)}
          </strong>
        ))}
      </p>
      {batch.operators.some((sum) => sum.balanceAfter?.startsWith('-')) && <p className="text-bad">{t('batches.short')}</p>}
    </section>
  )
}

function Balance({ amount, locale }: { amount: string | null; locale: BatchWords['locale'] }) {
  if (amount === null) return <Td align="end">–</Td>
  return (
    <Td align="end" className={`whitespace-nowrap ${amount.startsWith('-') ? 'text-bad' : ''}`}>
      {formatAmount(amount, locale)}
    </Td>
  )
}
