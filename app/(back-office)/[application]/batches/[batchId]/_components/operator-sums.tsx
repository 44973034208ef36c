import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { Table, Td, Th, Tr } from '#components/ui/table.tsx'
import { TableCard } from '#components/ui/table-card.tsx'
import type { BatchDto } from '#lib/batch-dto.ts'
import type { BatchWords } from '#lib/batch-text.ts'
import { formatAmount, formatCount, moneyText } from '#lib/format.ts'

/** A head of two lines where its figures need less than its words. */
const WRAPPED = 'w-28 py-1 whitespace-normal! leading-4'

/** Sums and fees per operator, and the balance after this file and after everything that waits. */
export function OperatorSums({ batch, words: { t, locale } }: { batch: BatchDto; words: BatchWords }) {
  const isDeposit = batch.type === 'DEPOSIT'
  const head = (
    <>
      <Th>{t('batches.field.operator')}</Th>
      <Th align="end">{t('batches.rows')}</Th>
      <Th align="end">{t('batches.sum')}</Th>
      <Th align="end">{t('batches.fees')}</Th>
      {isDeposit && (
        <>
          <Th align="end" className={WRAPPED}>
            {t('batches.balanceAfter')}
          </Th>
          <Th align="end" className={WRAPPED}>
            {t('batches.balanceAfterWaiting')}
          </Th>
        </>
      )}
    </>
  )
  return (
    <div className="grid grid-cols-1 gap-2">
      <TableCard isBare label={t('batches.effect')}>
        <Table caption={t('batches.effect')} isList head={head}>
          {batch.operators.map((sum) => (
            <Tr key={sum.operator}>
              <Td>
                <OperatorMark code={sum.operator} />
              </Td>
              <Td align="end" label={t('batches.rows')}>
                {formatCount(sum.count, locale)}
              </Td>
              <Td align="end" className="whitespace-nowrap">
                {moneyText(sum, locale)}
              </Td>
              <Td align="end" label={t('batches.fees')}>
                {formatAmount(sum.fees, locale)}
              </Td>
              {isDeposit && <Balance label={t('batches.balanceAfter')} amount={sum.balanceAfter} locale={locale} />}
              {isDeposit && <Balance label={t('batches.balanceAfterWaiting')} amount={sum.balanceAfterWaiting} locale={locale} />}
            </Tr>
          ))}
        </Table>
      </TableCard>
      <p className="text-ink-2">
        {t('batches.total')}{' '}
        {batch.sums.map((sum) => (
          <strong key={sum.currency} className="mr-3 whitespace-nowrap tabular">
            {moneyText(sum, locale)}
          </strong>
        ))}
      </p>
      {batch.operators.some((sum) => sum.balanceAfter?.startsWith('-')) && <p className="text-bad">{t('batches.short')}</p>}
    </div>
  )
}

function Balance({ label, amount, locale }: { label: string; amount: string | null; locale: BatchWords['locale'] }) {
  return (
    <Td align="end" label={label} className={`@max-[560px]/card:basis-full ${amount?.startsWith('-') ? 'text-bad' : ''}`}>
      {amount === null ? '–' : <span className="whitespace-nowrap">{formatAmount(amount, locale)}</span>}
    </Td>
  )
}
