import { Table, Td, Th, Tr } from '#components/ui/table.tsx'
import { TableCard } from '#components/ui/table-card.tsx'
import { formatCount } from '#lib/format.ts'
import type { HistorySlot } from '#lib/operator-outcomes.ts'
import { FAILURE_REASONS } from '#lib/transaction-status.ts'
import { durationText } from '../../_components/figures.ts'
import type { OperatorWords } from './operator-words.ts'

type Props = { words: OperatorWords; title: string; slots: readonly HistorySlot[]; nameOf: (slot: string) => string }

/** The figures of a chart, newest first, without the hours or days in which nothing happened. */
export function HistoryTable({ words: { t, locale }, title, slots, nameOf }: Props) {
  const shown = slots.filter(({ counts, closedMinutes, delayedMinutes }) =>
    [closedMinutes, delayedMinutes, ...Object.values(counts)].some((figure) => figure > 0),
  )
  const time = (ms: number | null) => (ms === null ? '–' : durationText(t, locale, ms))
  if (shown.length === 0) return <p className="text-quiet">{t('operators.nothing')}</p>
  return (
    <TableCard isBare label={title}>
      <Table
        caption={title}
        isList
        head={
          <>
            <Th>{t('operators.slot')}</Th>
            <Th align="end">{t('operators.succeeded')}</Th>
            {FAILURE_REASONS.map((reason) => (
              <Th key={reason} align="end">
                {t(`operators.cause.${reason}`)}
              </Th>
            ))}
            <Th align="end">{t('operators.open')}</Th>
            <Th align="end">{t('operators.median')}</Th>
            <Th align="end">{t('operators.p95')}</Th>
            <Th align="end">{t('availability.DELAYED')}</Th>
            <Th align="end">{t('availability.CLOSED')}</Th>
          </>
        }
      >
        {shown.toReversed().map(({ slot, counts, medianMs, slowMs, delayedMinutes, closedMinutes }) => (
          <Tr key={slot} className="whitespace-nowrap">
            <Td>{nameOf(slot)}</Td>
            <Td align="end" label={t('operators.succeeded')}>
              {formatCount(counts.succeeded, locale)}
            </Td>
            {FAILURE_REASONS.map((reason) => (
              <Td key={reason} align="end" label={t(`operators.cause.${reason}`)}>
                {formatCount(counts[reason], locale)}
              </Td>
            ))}
            <Td align="end" label={t('operators.open')}>
              {formatCount(counts.open, locale)}
            </Td>
            <Td align="end" label={t('operators.median')}>
              {time(medianMs)}
            </Td>
            <Td align="end" label={t('operators.p95')}>
              {time(slowMs)}
            </Td>
            <Td align="end" label={t('availability.DELAYED')}>
              {t('operators.minutes', { count: delayedMinutes })}
            </Td>
            <Td align="end" label={t('availability.CLOSED')}>
              {t('operators.minutes', { count: closedMinutes })}
            </Td>
          </Tr>
        ))}
      </Table>
    </TableCard>
  )
}
