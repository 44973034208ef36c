'use client'

import { Notice } from '#components/ui/empty-state.tsx'
import { Link } from '#components/ui/link.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import type { LeftOutRows } from '#lib/batch-run.ts'
import { paths } from '#lib/paths.ts'

/** Failed rows that are not paid again, each with a link and the reason. Renders nothing if there are none. */
export function LeftOutNotice({ application, leftOut: { count, rows } }: { application: string; leftOut: LeftOutRows }) {
  const { t } = useTranslations()
  if (count === 0) return null
  return (
    <Notice tone="bad">
      <p className="font-strong">{t('batch.leftOut', { count })}</p>
      <ul className="mt-1 grid gap-0.5">
        {rows.map(({ transactionId, customerName, reason }) => (
          <li key={transactionId}>
            <Link href={paths.transaction(application, transactionId)} className="underline">
              <bdi>{customerName}</bdi>
            </Link>{' '}
            · {t(`batch.leftOut.${reason}`)}
          </li>
        ))}
        {count > rows.length && <li>{t('batch.leftOut.more', { count: count - rows.length })}</li>}
      </ul>
    </Notice>
  )
}
