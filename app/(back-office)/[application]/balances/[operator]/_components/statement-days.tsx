'use client'

import { EmptyState } from '#components/ui/empty-state.tsx'
import { Link } from '#components/ui/link.tsx'
import { Table, Td, Th, Tr } from '#components/ui/table.tsx'
import { TableCard } from '#components/ui/table-card.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import type { LineFilter, StatementDay, StatementDto } from '#lib/finance-dto.ts'
import { formatAmount, formatCount } from '#lib/format.ts'
import { addDecimals } from '#lib/money.ts'
import { FIGURE_LINK } from '../../../_components/figure-link.ts'
import { useDays } from '../../../_components/use-days.ts'

/** The lines behind each figure of a day. */
const FILTERS = { collected: 'collect', funded: 'fund', paid: 'pay', fees: 'fees', placed: 'hold', released: 'release' } as const
const WIDE = 'max-sm:hidden print:table-cell'

type Props = { data: StatementDto; hrefOf: (kind: LineFilter | null, period: { from: string; to: string }) => string }

/** The statement by day, oldest first. Each closing balance is the next opening balance, and each figure links to its lines. */
export function StatementDays({ data, hrefOf }: Props) {
  const { t, locale } = useTranslations()
  const write = useDays()
  if (data.days.length === 0) return <EmptyState icon="wallet" title={t('statement.none')} />
  const amount = (day: StatementDay, figure: 'collected' | 'funded' | 'paid' | 'fees' | 'placed' | 'released') =>
    day[figure] === '0' ? (
      <span className="text-quiet">0</span>
    ) : (
      <Link href={hrefOf(FILTERS[figure], day)} className={FIGURE_LINK}>
        {formatAmount(day[figure], locale)}
      </Link>
    )
  return (
    <TableCard label={t('statement.days')} className="mt-3">
      <Table
        caption={t('statement.days')}
        head={
          <>
            <Th>{t(data.days[0]?.day.length === 10 ? 'totals.day' : 'statement.period')}</Th>
            <Th align="end" className={WIDE}>
              {t('statement.lines')}
            </Th>
            <Th align="end" className={WIDE}>
              {t('statement.collected')}
            </Th>
            <Th align="end" className={WIDE}>
              {t('statement.funded')}
            </Th>
            <Th align="end" className={WIDE}>
              {t('statement.paid')}
            </Th>
            <Th align="end" className={WIDE}>
              {t('statement.fees')}
            </Th>
            <Th align="end" className={WIDE}>
              {t('statement.placed')}
            </Th>
            <Th align="end" className={WIDE}>
              {t('statement.released')}
            </Th>
            <Th align="end">{t('statement.closingIn', { currency: data.currency })}</Th>
          </>
        }
      >
        {data.days.map((day) => (
          <Tr key={day.day} className="whitespace-nowrap">
            <Td>
              <Link href={hrefOf(null, day)} className={FIGURE_LINK}>
                {write.period(day.day)}
              </Link>
            </Td>
            <Td align="end" className={WIDE}>
              <Link href={hrefOf(null, day)} className={FIGURE_LINK}>
                {formatCount(day.count, locale)}
              </Link>
            </Td>
            <Td align="end" className={WIDE}>
              {amount(day, 'collected')}
            </Td>
            <Td align="end" className={WIDE}>
              {amount(day, 'funded')}
            </Td>
            <Td align="end" className={WIDE}>
              {amount(day, 'paid')}
            </Td>
            <Td align="end" className={WIDE}>
              {amount(day, 'fees')}
            </Td>
            <Td align="end" className={WIDE}>
              {amount(day, 'placed')}
            </Td>
            <Td align="end" className={WIDE}>
              {amount(day, 'released')}
            </Td>
            <Td align="end" className="font-medium">
              {formatAmount(day.closing.total, locale)}
              <span className="block text-second font-regular text-quiet sm:hidden print:hidden">
                {`+${formatAmount(addDecimals(day.collected, day.funded), locale)} −${formatAmount(addDecimals(day.paid, day.fees), locale)}`}
              </span>
            </Td>
          </Tr>
        ))}
      </Table>
    </TableCard>
  )
}
