'use client'

import { Link } from '#components/ui/link.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import type { BatchDifference } from '#lib/batch-approval.ts'
import { deciderText } from '#lib/decider.ts'
import { formatTime } from '#lib/format-time.ts'
import { paths } from '#lib/paths.ts'

/** What changed after the batch was shown, so that nothing was decided. */
export function BatchDifferenceNotice({ difference, application }: { difference: BatchDifference; application: string }) {
  const { t, timeZone } = useTranslations()
  const at = (instant: string) => formatTime(t, timeZone, new Date(instant), 'day-time')
  return (
    <section role="alert" className="grid gap-1.5 rounded-md bg-wait-soft px-3 py-2 text-wait">
      <p className="font-strong">{t('batch.changed.title')}</p>
      <ul className="grid gap-1">
        {difference.decisions.map((one) => (
          <li key={`${one.checkerName} ${one.at}`}>
            {t(one.counts ? `batch.changed.${one.decision}` : 'batch.changed.gone', { name: deciderText(t, one), at: at(one.at) })}
          </li>
        ))}
        {difference.moved.map((row) => (
          <li key={row.transactionId}>
            <Link href={paths.transaction(application, row.transactionId)} className="underline">
              <bdi>{row.customerName}</bdi>
            </Link>
            {': '}
            {t('batch.changed.moved', {
              by: row.by === null ? t('batch.changed.system') : deciderText(t, { ...row, checkerName: row.by }),
              at: at(row.at),
            })}
          </li>
        ))}
      </ul>
      {difference.movedCount > difference.moved.length && (
        <p>{t('batch.changed.more', { count: difference.movedCount - difference.moved.length })}</p>
      )}
    </section>
  )
}
