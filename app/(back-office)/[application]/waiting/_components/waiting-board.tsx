'use client'

import '#components/form/zod-without-eval.ts'
import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { Money } from '#components/domain/money.tsx'
import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { RelativeTime } from '#components/domain/time-text.tsx'
import { useAction } from '#components/form/use-action.tsx'
import { RefreshNotice } from '#components/table/refresh-notice.tsx'
import { Button } from '#components/ui/button.tsx'
import { CountBadge } from '#components/ui/display/badge.tsx'
import { EmptyState } from '#components/ui/display/empty-state.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import { Link } from '#components/ui/link.tsx'
import { useNow, useTranslations } from '#components/ui/translations.tsx'
import { isChangeKind } from '#lib/approvals/proposed-change.ts'
import { groupWords } from '#lib/finance/pivot-words.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { queries, queryKeys } from '#lib/pages/queries.ts'
import { addressOfGroup, addressOfWaiting, type WaitingDto, type WaitingItem } from '#lib/pages/waiting.ts'
import { EXCEPTION_CLASSES } from '#lib/reconciliation/exceptions.ts'
import { formatCount } from '#lib/text/format.ts'
import { DAY_MS } from '#lib/time/time.ts'
import { dismissReturned } from '../actions.ts'

const REFRESH_MS = 30_000
/** An item that ends sooner is marked. */
const SOON_MS = DAY_MS

/** Everything that waits for this person: a section for each group, the oldest first, with the place where each is decided. */
export function WaitingBoard({ application }: { application: string }) {
  const { t } = useTranslations()
  const { data, isError, refetch } = useQuery({ ...queries.waitingItems(application), refetchInterval: REFRESH_MS })
  return (
    <>
      <PageHeader title={t('frame.waiting')} lead={t('waiting.lead')} />
      <div className="mt-3">
        <RefreshNotice isFailed={isError && data !== undefined} onRetry={() => void refetch()} />
      </div>
      {data && data.groups.length === 0 && <EmptyState title={t('waiting.none')} text={t('waiting.noneText')} />}
      {data && (
        <div className="mt-4 grid grid-cols-1 gap-8">
          {data.groups.map((group) => (
            <GroupSection key={group.group} application={application} group={group} />
          ))}
        </div>
      )}
    </>
  )
}

type GroupProps = { application: string; group: WaitingDto['groups'][number] }

function GroupSection({ application, group: { group, count, items } }: GroupProps) {
  const { t, locale } = useTranslations()
  const id = useId()
  const all = addressOfGroup(application, group)
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className="flex items-center gap-2 text-amount font-strong">
        {t(`waiting.group.${group}`)}
        <CountBadge count={formatCount(count, locale)} label={t('frame.waitingForYou', { count })} />
      </h2>
      <ul className="mt-2 divide-y divide-line rounded-lg border border-line bg-surface">
        {items.map((item) => (
          <li key={item.id} className="flex items-center gap-2">
            <ItemLine application={application} item={item} />
            {item.group === 'returned' && <DismissButton application={application} item={item} />}
          </li>
        ))}
      </ul>
      {count > items.length && (
        <p className="mt-2">
          {all === null ? (
            <span className="text-quiet">{t('waiting.more', { count: count - items.length })}</span>
          ) : (
            <Link href={all} className="text-accent hover:underline">
              {t('waiting.more', { count: count - items.length })}
            </Link>
          )}
        </p>
      )}
    </section>
  )
}

/** One line: who or what, from whom, how much, since when and until when. */
function ItemLine({ application, item }: { application: string; item: WaitingItem }) {
  const { t } = useTranslations()
  const { operator, amount, currency, by, at } = item
  const about = aboutOf(t, item)
  return (
    <Link
      href={addressOfWaiting(application, item)}
      className="grid min-w-0 grow grid-cols-[minmax(0,1fr)_auto] items-baseline gap-x-4 px-3 py-2 hover:bg-sunken"
    >
      <span className="min-w-0 wrap-anywhere font-medium">
        <bdi dir="auto">{titleOf(t, item)}</bdi>
      </span>
      <span className="text-right">{amount !== null && currency !== null && <Money amount={amount} currency={currency} />}</span>
      <span className="col-span-2 flex min-w-0 flex-wrap gap-x-4 text-second text-quiet sm:col-span-1">
        {operator !== null && <OperatorMark code={operator} />}
        {about !== '' && <span className="min-w-0 wrap-anywhere">{about}</span>}
        {by !== null && (
          <span>{t(item.group === 'secrets' || item.group === 'transfers' ? 'waiting.confirmedBy' : 'waiting.by', { name: by })}</span>
        )}
      </span>
      <span className="col-span-2 flex flex-wrap gap-x-4 text-second text-quiet sm:col-span-1 sm:justify-end">
        <Ends item={item} />
        <RelativeTime at={at} />
      </span>
    </Link>
  )
}

/** Takes a payment from the list that its maker does not want to send again. */
function DismissButton({ application, item }: { application: string; item: WaitingItem }) {
  const { t } = useTranslations()
  const { run, isPending, error } = useAction(() => dismissReturned(application, { id: item.id }), {
    words: {},
    invalidates: [queryKeys.approvals(application), ['overview', application]],
    said: () => t('waiting.dismissed'),
  })
  return (
    <span className="mr-2 grid shrink-0 justify-items-end">
      <Button size="small" isBusy={isPending} aria-label={t('waiting.dismissOne', { name: titleOf(t, item) })} onClick={() => run()}>
        {t('waiting.dismiss')}
      </Button>
      {error && <span className="text-second text-bad">{error}</span>}
    </span>
  )
}

/** When it can no longer be decided; of an exception, when it should be closed. */
function Ends({ item: { expiresAt, group } }: { item: WaitingItem }) {
  const { t } = useTranslations()
  const now = useNow()
  if (expiresAt === null) return null
  const isSoon = new Date(expiresAt).getTime() - now.getTime() < SOON_MS
  return (
    <span className={isSoon ? 'text-wait' : ''}>
      {t(group === 'exceptions' ? 'waiting.due' : 'waiting.expires')} <RelativeTime at={expiresAt} />
    </span>
  )
}

function titleOf(t: Translate, { kind, name, id, group, wallet, day }: WaitingItem): string {
  const exceptionClass = EXCEPTION_CLASSES.find((each) => each === kind)
  if (exceptionClass) return t(`close.class.${exceptionClass}`)
  if (kind !== null && isChangeKind(kind)) return [t(`change.kind.${kind}`), name].filter((part) => part !== null).join(', ')
  if (group === 'days') return t('waiting.day', { wallet: wallet ?? '', day: day ?? '' })
  return name ?? t('waiting.batch', { id: id.slice(0, 8) })
}

function aboutOf(t: Translate, { group, kind, count, wallet, day }: WaitingItem): string {
  if (group === 'batches') return t('waiting.rows', { count: count ?? 0 })
  if (group === 'deliveries') return t('waiting.undelivered', { count: count ?? 0 })
  if (group === 'returned')
    return kind === null
      ? t('waiting.returnedRows', { count: count ?? 0 })
      : t(kind === 'expired' ? 'transaction.event.expired' : 'transaction.event.rejected')
  if (group === 'monthlyTotals') return groupWords(t, 'month')((day ?? '').slice(0, 7))
  return group === 'days' ? '' : [wallet, day].filter((part) => part !== null).join(', ')
}
