import { BatchStageBadge } from '#components/domain/batch-stage.tsx'
import { TimeText } from '#components/domain/time-text.tsx'
import { ListTable } from '#components/ui/display/table.tsx'
import { Link } from '#components/ui/link.tsx'
import type { BatchListItem } from '#lib/batches/batches.ts'
import type { Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/pages/paths.ts'
import { formatCount, moneyText } from '#lib/text/format.ts'

type Props = { t: Translate; locale: Locale; application: string; batches: readonly BatchListItem[] }

/** In a narrow card a batch has two cells: what it is, and how much. */
const WIDE = '@max-[560px]/card:hidden'
const NARROW = 'block text-second text-quiet @min-[560px]/card:hidden'

export function BatchTable({ t, locale, application, batches }: Props) {
  const atOf = (batch: BatchListItem) => batch.submittedAt ?? batch.createdAt
  return (
    <ListTable
      label={t('frame.batches')}
      rows={batches}
      keyOf={({ batchId }) => batchId}
      columns={[
        {
          head: t('batches.name'),
          cell: (batch) => (
            <>
              <Link href={paths.batch(application, batch.batchId)} className="font-medium text-accent hover:underline">
                <bdi>{batch.name}</bdi>
              </Link>
              <span className={`block text-second text-quiet ${WIDE}`}>{t(`type.${batch.type}`)}</span>
              <span className={NARROW}>
                <bdi>{batch.makerName}</bdi>, <TimeText at={atOf(batch)} />
              </span>
              <span className="block pt-1 @min-[560px]/card:hidden">
                <BatchStageBadge t={t} batch={batch} />
              </span>
            </>
          ),
        },
        { head: t('batches.state'), className: WIDE, cell: (batch) => <BatchStageBadge t={t} batch={batch} /> },
        {
          head: t('batches.rows'),
          align: 'end',
          className: WIDE,
          cell: ({ readyCount, rowCount }) => (
            <>
              {formatCount(readyCount, locale)}
              {readyCount < rowCount && <span className="block text-second text-quiet">{t('batches.ofRows', { count: rowCount })}</span>}
            </>
          ),
        },
        {
          head: t('batches.sum'),
          align: 'end',
          cellClass: '@max-[560px]/card:align-top',
          cell: ({ sums, readyCount }) => (
            <>
              {sums.map((sum) => (
                <span key={sum.currency} className="block whitespace-nowrap">
                  {moneyText(sum, locale)}
                </span>
              ))}
              <span className={NARROW}>{t('batches.rowCount', { count: readyCount })}</span>
            </>
          ),
        },
        {
          head: t('batches.maker'),
          className: WIDE,
          cellClass: 'whitespace-nowrap',
          cell: (batch) => (
            <>
              <bdi>{batch.makerName}</bdi>
              <TimeText at={atOf(batch)} style="full" className="block text-second text-quiet" />
            </>
          ),
        },
        { head: t('batches.decidedBy'), className: WIDE, cell: ({ decidedBy }) => decidedBy.join(', ') || '–' },
      ]}
    />
  )
}
