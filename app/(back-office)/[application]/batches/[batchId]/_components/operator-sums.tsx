import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { Table, Td, Th, Tr } from '#components/ui/table.tsx'
import { TableCard } from '#components/ui/table-card.tsx'
import type { BatchDto } from '#lib/batch-dto.ts'
import type { BatchWords } from '#lib/batch-text.ts'
import { formatAmount, formatCount, moneyText } from '#lib/format.ts'

/** In a narrow card the figures of a row are below each other, each with its name. */
const WIDE = '@max-[560px]/card:hidden'
const NARROW = 'block text-second text-quiet @min-[560px]/card:hidden'
/** A head of two lines where its figures need less than its words. */
const WRAPPED = 'py-1 whitespace-normal! leading-4 w-28'

/** Sums and fees per operator, and the balance after this file and after everything that waits. */
export function OperatorSums({ batch, words }: { batch: BatchDto; words: BatchWords }) {
  const { t, locale } = words
  return (
    <div className="grid grid-cols-1 gap-2">
      <TableCard isBare label={t('batches.effect')}>
        <Table caption={t('batches.effect')} head={<Head t={t} isDeposit={batch.type === 'DEPOSIT'} />}>
          {batch.operators.map((sum) => (
            <Line key={sum.operator} sum={sum} isDeposit={batch.type === 'DEPOSIT'} words={words} />
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

function Head({ t, isDeposit }: { t: BatchWords['t']; isDeposit: boolean }) {
  return (
    <>
      <Th>{t('batches.field.operator')}</Th>
      <Th align="end" className={WIDE}>
        {t('batches.rows')}
      </Th>
      <Th align="end">{t('batches.sum')}</Th>
      <Th align="end" className={WIDE}>
        {t('batches.fees')}
      </Th>
      {isDeposit && (
        <>
          <Th align="end" className={`${WIDE} ${WRAPPED}`}>
            {t('batches.balanceAfter')}
          </Th>
          <Th align="end" className={`${WIDE} ${WRAPPED}`}>
            {t('batches.balanceAfterWaiting')}
          </Th>
        </>
      )}
    </>
  )
}

type LineProps = { sum: BatchDto['operators'][number]; isDeposit: boolean; words: BatchWords }

function Line({ sum, isDeposit, words: { t, locale } }: LineProps) {
  const balances = isDeposit
    ? ([
        ['batches.balanceAfter', sum.balanceAfter],
        ['batches.balanceAfterWaiting', sum.balanceAfterWaiting],
      ] as const)
    : []
  const figure = (amount: string | null) =>
    amount === null ? (
      '–'
    ) : (
      <span className={`whitespace-nowrap ${amount.startsWith('-') ? 'text-bad' : ''}`}>{formatAmount(amount, locale)}</span>
    )
  return (
    <Tr>
      <Td>
        <OperatorMark code={sum.operator} />
        <span className={NARROW}>{t('batches.rowCount', { count: sum.count })}</span>
      </Td>
      <Td align="end" className={WIDE}>
        {formatCount(sum.count, locale)}
      </Td>
      <Td align="end">
        <span className="whitespace-nowrap">{moneyText(sum, locale)}</span>
        <span className={NARROW}>
          {t('batches.fees')} {formatAmount(sum.fees, locale)}
        </span>
        {balances.map(([label, amount]) => (
          <span key={label} className={NARROW}>
            {t(label)} {figure(amount)}
          </span>
        ))}
      </Td>
      <Td align="end" className={WIDE}>
        {formatAmount(sum.fees, locale)}
      </Td>
      {balances.map(([label, amount]) => (
        <Td key={label} align="end" className={WIDE}>
          {figure(amount)}
        </Td>
      ))}
    </Tr>
  )
}
