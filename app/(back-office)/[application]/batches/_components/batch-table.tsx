import { TimeText } from '#components/domain/time-text.tsx'
import { Link } from '#components/ui/link.tsx'
import { Table, Td, Th, Tr } from '#components/ui/table.tsx'
import type { BatchListItem } from '#lib/batch-dto.ts'
import { formatCount, moneyText } from '#lib/format.ts'
import type { Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/paths.ts'
import { BatchStateBadge } from './batch-state-badge.tsx'

type Props = { t: Translate; locale: Locale; application: string; batches: readonly BatchListItem[] }

export function BatchTable({ t, locale, application, batches }: Props) {
  const head = (
    <>
      <Th>{t('batches.name')}</Th>
      <Th>{t('batches.state')}</Th>
      <Th align="end">{t('batches.rows')}</Th>
      <Th align="end">{t('batches.sum')}</Th>
      <Th>{t('batches.maker')}</Th>
      <Th>{t('batches.decidedBy')}</Th>
      <Th>{t('batches.created')}</Th>
    </>
  )
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section aria-label={t('frame.batches')} tabIndex={0} className="relative overflow-x-auto rounded-lg border border-line bg-surface">
      <Table caption={t('frame.batches')} head={head}>
        {batches.map((batch) => (
          <Tr key={batch.batchId}>
            <Td>
              <Link href={paths.batch(application, batch.batchId)} className="font-medium text-accent hover:underline">
                <bdi>{batch.name}</bdi>
              </Link>
              <span className="block text-second text-quiet">{t(`type.${batch.type}`)}</span>
            </Td>
            <Td>
              <BatchStateBadge t={t} state={batch.state} />
            </Td>
            <Td align="end">
              {formatCount(batch.readyCount, locale)}
              {batch.readyCount < batch.rowCount && (
                <span className="block text-second text-quiet">{t('batches.ofRows', { count: batch.rowCount })}</span>
              )}
            </Td>
            <Td align="end">
              {batch.sums.map((sum) => (
                <span key={sum.currency} className="block whitespace-nowrap">
                  {moneyText(sum, locale)}
                </span>
              ))}
            </Td>
            <Td className="whitespace-nowrap">
              <bdi>{batch.makerName}</bdi>
            </Td>
            <Td className="whitespace-nowrap">{batch.decidedBy.join(', ') || '–'}</Td>
            <Td className="whitespace-nowrap">
              <TimeText at={batch.submittedAt ?? batch.createdAt} style="full" />
            </Td>
          </Tr>
        ))}
      </Table>
    </section>
  )
}
