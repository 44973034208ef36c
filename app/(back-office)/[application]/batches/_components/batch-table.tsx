import { TimeText } from '#components/domain/time-text.tsx'
import { ButtonLink } from '#components/ui/button.tsx'
import { Badge, type Tone } from '#components/ui/display/badge.tsx'
import { Table, TableCard, Td, Th, Tr } from '#components/ui/display/table.tsx'
import { Link } from '#components/ui/link.tsx'
import type { BatchListItem, BatchState } from '#lib/batches/batches.ts'
import type { Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/pages/paths.ts'
import { formatCount, moneyText } from '#lib/text/format.ts'

type Props = { t: Translate; locale: Locale; application: string; batches: readonly BatchListItem[] }

/** In a narrow card a batch has two cells: what it is, and how much. */
const WIDE = '@max-[560px]/card:hidden'
const NARROW = 'block text-second text-quiet @min-[560px]/card:hidden'

export function BatchTable({ t, locale, application, batches }: Props) {
  const head = (
    <>
      <Th>{t('batches.name')}</Th>
      <Th className={WIDE}>{t('batches.state')}</Th>
      <Th align="end" className={WIDE}>
        {t('batches.rows')}
      </Th>
      <Th align="end">{t('batches.sum')}</Th>
      <Th className={WIDE}>{t('batches.maker')}</Th>
      <Th className={WIDE}>{t('batches.decidedBy')}</Th>
    </>
  )
  return (
    <TableCard label={t('frame.batches')}>
      <Table caption={t('frame.batches')} head={head}>
        {batches.map((batch) => (
          <Line key={batch.batchId} t={t} locale={locale} application={application} batch={batch} />
        ))}
      </Table>
    </TableCard>
  )
}

function Line({ t, locale, application, batch }: Omit<Props, 'batches'> & { batch: BatchListItem }) {
  const state = <BatchStateBadge t={t} state={batch.state} />
  const at = batch.submittedAt ?? batch.createdAt
  return (
    <Tr>
      <Td>
        <Link href={paths.batch(application, batch.batchId)} className="font-medium text-accent hover:underline">
          <bdi>{batch.name}</bdi>
        </Link>
        <span className={`block text-second text-quiet ${WIDE}`}>{t(`type.${batch.type}`)}</span>
        <span className={NARROW}>
          <bdi>{batch.makerName}</bdi>, <TimeText at={at} />
        </span>
        <span className="block pt-1 @min-[560px]/card:hidden">{state}</span>
      </Td>
      <Td className={WIDE}>{state}</Td>
      <Td align="end" className={WIDE}>
        {formatCount(batch.readyCount, locale)}
        {batch.readyCount < batch.rowCount && (
          <span className="block text-second text-quiet">{t('batches.ofRows', { count: batch.rowCount })}</span>
        )}
      </Td>
      <Td align="end" className="@max-[560px]/card:align-top">
        {batch.sums.map((sum) => (
          <span key={sum.currency} className="block whitespace-nowrap">
            {moneyText(sum, locale)}
          </span>
        ))}
        <span className={NARROW}>{t('batches.rowCount', { count: batch.readyCount })}</span>
      </Td>
      <Td className={`whitespace-nowrap ${WIDE}`}>
        <bdi>{batch.makerName}</bdi>
        <span className="block text-second text-quiet">
          <TimeText at={at} style="full" />
        </span>
      </Td>
      <Td className={WIDE}>{batch.decidedBy.join(', ') || '–'}</Td>
    </Tr>
  )
}

const TONES: Record<BatchState, Tone> = { checking: 'wait', draft: 'neutral', submitting: 'run', submitted: 'run', discarded: 'neutral' }

/** The state of a batch in words. */
export function BatchStateBadge({ t, state }: { t: Translate; state: BatchState }) {
  return (
    <Badge tone={TONES[state]} hasDot>
      {t(`batches.stateOf.${state}`)}
    </Badge>
  )
}

type PageLinksProps = { t: Translate; locale: Locale; page: number; size: number; total: number; hrefFor: (page: number) => string }

/** The range that is shown, and links to the pages before and after; nothing if everything is on one page. */
export function PageLinks({ t, locale, page, size, total, hrefFor }: PageLinksProps) {
  if (total <= size && page === 0) return null
  const words = (count: number) => formatCount(count, locale)
  const isPastEnd = page * size >= total
  return (
    <nav aria-label={t('table.pages')} className="no-print flex flex-wrap items-center justify-between gap-3">
      <p className="tabular text-ink-2">
        {isPastEnd
          ? t('table.none')
          : t('table.range', { from: words(page * size + 1), to: words(Math.min(total, (page + 1) * size)), total: words(total) })}
      </p>
      <div className="flex gap-2">
        {page > 0 && <ButtonLink href={hrefFor(page - 1)}>{t('table.previous')}</ButtonLink>}
        {(page + 1) * size < total && <ButtonLink href={hrefFor(page + 1)}>{t('table.next')}</ButtonLink>}
      </div>
    </nav>
  )
}
