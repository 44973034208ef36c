'use client'

import { Kbd } from '#components/ui/kbd.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { Tabs } from '#components/ui/tabs.tsx'
import { useNow, useTranslations } from '#components/ui/translations.tsx'
import type { ApprovalPage, ApprovalQueue } from '#lib/approvals.ts'
import { DAY_MS } from '#lib/durations.ts'
import { formatCount } from '#lib/format.ts'
import { formatTime } from '#lib/format-time.ts'
import { paths } from '#lib/paths.ts'

/** Title, how many wait since when, and the queues with their counts. */
export function BoardHead({
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
  return (
    <>
      <div className="flex items-end justify-between gap-4">
        <PageHeader
          title={t('frame.approvals')}
          lead={since && counts.mine > 0 ? t('approvals.lead', { count: counts.mine, since }) : t('approvals.leadNone')}
        />
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
