'use client'

import { Money } from '#components/domain/money.tsx'
import { TimeText } from '#components/domain/time-text.tsx'
import { RefreshNotice } from '#components/table/refresh-notice.tsx'
import { ButtonLink } from '#components/ui/button.tsx'
import { Badge, Kbd } from '#components/ui/display/badge.tsx'
import { PageHeader, Skeleton, Tabs } from '#components/ui/display/page.tsx'
import { Link } from '#components/ui/link.tsx'
import { definePart, LazyPart } from '#components/ui/overlay/lazy-part.tsx'
import { useNow, useT, useTranslations } from '#components/ui/translations.tsx'
import { APPROVAL_PAGE_SIZE } from '#lib/approvals/approval-address.ts'
import type { ApprovalPage, ApprovalQueue, BatchItem } from '#lib/approvals/approvals.ts'
import { paths } from '#lib/pages/paths.ts'
import { formatCount } from '#lib/text/format.ts'
import { formatTime } from '#lib/time/format-time.ts'
import { DAY_MS } from '#lib/time/time.ts'
import { ApprovalTable } from './approval-table.tsx'
import { BoardPanel, BULK_BAR } from './board-panel.tsx'
import { BoardContext, type BoardProps, useBoard, useBoardFocus, useBoardKeys } from './use-board.ts'

/** Rendered on the server; links and popovers work before its script has arrived. */
const FILTERS = definePart(() => import('./filters/approval-filters.tsx'))
const STAGE = definePart(async () => ({ default: (await import('#components/domain/batch-stage.tsx')).BatchStageBadge }))
const PAGES = definePart(async () => ({ default: (await import('#components/table/pagination-bar.tsx')).PaginationBar }))

/** The approvals: queues and list, and the panel in which somebody decides. */
export function ApprovalBoard(props: BoardProps) {
  const t = useT()
  const board = useBoard(props)
  const { application, queue, query, list, selection, selected } = board
  useBoardFocus(board)
  useBoardKeys(board)
  if (!list.page) {
    return (
      <div role="status" aria-label={t('ui.loading')}>
        <Skeleton className="h-7 w-48" />
        <Skeleton className="mt-6 h-96 w-full" />
      </div>
    )
  }
  const { total } = list.page
  return (
    <div className="grid items-start gap-x-4 min-[1400px]:grid-cols-[minmax(0,1fr)_332px] print:block">
      <div className="min-w-0">
        <BoardHead application={application} queue={queue} queues={props.queues} page={list.page} />
        <a href="#approval-panel" className="sr-only focus:not-sr-only">
          {t('approvals.panel.skip')}
        </a>
        {/* On a phone one line that scrolls: what waits is what a checker came for. */}
        <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-3 max-xl:overflow-x-auto max-xl:px-1">
          <LazyPart part={FILTERS} props={{ application, query, page: list.page }} fallback={<div className="h-[30px]" />} />
        </div>
        <RefreshNotice isFailed={list.isError} onRetry={list.retry} />
        <BatchItems application={application} batches={list.page.batches} isMade={queue === 'made'} />
        <BoardContext value={board}>
          <ApprovalTable />
        </BoardContext>
        {total > APPROVAL_PAGE_SIZE && (
          <LazyPart
            part={PAGES}
            props={{
              page: props.page,
              size: APPROVAL_PAGE_SIZE,
              total,
              sizes: [APPROVAL_PAGE_SIZE],
              hrefFor: (next) => paths.approvals(application, { ...query, page: next === 0 ? null : next }),
            }}
          />
        )}
        <BoardContext value={board}>
          {selected.length > 0 && (
            <LazyPart part={BULK_BAR} props={{ total, isPageSelected: selection.whole === null && selected.length === list.rows.length }} />
          )}
        </BoardContext>
      </div>
      <BoardPanel board={board} />
    </div>
  )
}

/** Title, how many wait since when, and the queues with their counts. */
function BoardHead({
  application,
  queue,
  queues,
  page,
}: {
  application: string
  queue: ApprovalQueue
  queues: readonly ApprovalQueue[]
  page: ApprovalPage
}) {
  const { t, locale, timeZone } = useTranslations()
  const now = useNow()
  const { counts, oldestAt } = page
  const oldest = oldestAt === null ? null : new Date(oldestAt)
  const since = oldest && formatTime(t, timeZone, oldest, now.getTime() - oldest.getTime() < DAY_MS ? 'time' : 'day-time')
  const leadText = () => {
    if (counts.mine === 0 && counts.made > 0) return t('approvals.leadMade', { count: counts.made })
    return since && counts.mine > 0 ? t('approvals.lead', { count: counts.mine, since }) : t('approvals.leadNone')
  }
  return (
    <>
      <div className="flex items-end justify-between gap-4">
        <PageHeader title={t('frame.approvals')} lead={leadText()} />
        <KeyHints canDecide={queue === 'mine'} />
      </div>
      <div className="pt-3">
        <Tabs
          label={t('approvals.queues')}
          tabs={queues.map((each) => ({
            href: paths.approvals(application, { queue: each === 'mine' ? null : each }),
            label: t(`approvals.queue.${each}`),
            count: each === 'decided' ? undefined : formatCount(counts[each], locale),
            isCurrent: each === queue,
          }))}
        />
      </div>
    </>
  )
}

/** The keys of this page, for those who have a keyboard. */
function KeyHints({ canDecide }: { canDecide: boolean }) {
  const { t } = useTranslations()
  const hints = [
    { words: t('approvals.hint.move'), keys: ['J', 'K'] },
    ...(canDecide
      ? [
          { words: t('approvals.validate'), keys: ['V'] },
          { words: t('approvals.reject'), keys: ['R'] },
          { words: t('approvals.hint.select'), keys: ['X'] },
        ]
      : []),
  ]
  return (
    <p className="hidden gap-3 text-second whitespace-nowrap text-quiet xl:flex">
      {hints.map((hint) => (
        <span key={hint.words} className="flex items-center gap-1">
          {hint.words}
          {hint.keys.map((key) => (
            <Kbd key={key}>{key}</Kbd>
          ))}
        </span>
      ))}
    </p>
  )
}

/** Past decisions are folded below this count; waiting items are never folded. */
const DECIDED_SHOWN = 3

/** The batches of a queue, each one item: count, sums and maker, and the way to decide about all of its rows. */
function BatchItems({ application, batches, isMade }: { application: string; batches: readonly BatchItem[]; isMade: boolean }) {
  const t = useT()
  if (batches.length === 0) return null
  const isDecided = batches.every((batch) => batch.decided)
  const shown = isDecided ? batches.slice(0, DECIDED_SHOWN) : batches
  const rest = batches.slice(shown.length)
  const items = (some: readonly BatchItem[]) => (
    <ul className="rounded-lg border border-line bg-surface">
      {some.map((batch) => (
        <BatchLine key={batch.batchId} application={application} batch={batch} isMade={isMade} />
      ))}
    </ul>
  )
  return (
    <section aria-label={t('approvals.batches.title')} className="grid gap-2 pb-3">
      {items(shown)}
      {rest.length > 0 && (
        <details className="grid gap-2">
          <summary className="w-fit cursor-pointer py-1 text-second text-accent">
            {t('approvals.batches.more', { count: rest.length })}
          </summary>
          {items(rest)}
        </details>
      )}
    </section>
  )
}

/** `isMade`: in the list of what this person made and can recall. */
function BatchLine({ application, batch, isMade }: { application: string; batch: BatchItem; isMade: boolean }) {
  const t = useT()
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 border-b border-line px-3 py-2 last:border-b-0">
      <span className="grid min-w-0 gap-0.5">
        <span className="flex flex-wrap items-center gap-2">
          <Badge>{t('approvals.batches.count', { count: batch.count })}</Badge>
          <Link href={paths.batchApproval(application, batch.batchId)} className="font-strong text-accent underline">
            <bdi>{batch.name ?? t('approvals.batches.unnamed')}</bdi>
          </Link>
          {batch.decided && <LazyPart part={STAGE} props={{ t, batch: batch.decided }} />}
          {batch.canDecide === 'submitting' && <Badge tone="run">{t('approvals.batches.submitting')}</Badge>}
        </span>
        <span className="text-second text-quiet">
          <bdi>{batch.maker.name}</bdi>, <TimeText at={batch.createdAt} />
          {batch.decided && (
            <>
              {' · '}
              {t('approvals.batches.decidedBy', { names: batch.decided.by.join(', ') })} <TimeText at={batch.decided.at} />
            </>
          )}
        </span>
      </span>
      <span className="flex flex-wrap items-center gap-x-4">
        {batch.sums.map((sum) => (
          <Money key={sum.currency} amount={sum.amount} currency={sum.currency} size="amount" />
        ))}
        {isMade && batch.canDecide !== 'submitting' && (
          <ButtonLink href={paths.batchApproval(application, batch.batchId)} size="small">
            {t('approvals.recall.button')}
          </ButtonLink>
        )}
      </span>
    </li>
  )
}
