'use client'

import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { ExportLinks } from '#components/domain/export-links.tsx'
import { RefreshNotice } from '#components/table/refresh-notice.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import type { BalanceCard, BalancesDto } from '#lib/finance-dto.ts'
import { formatAmount } from '#lib/format.ts'
import { formatTime } from '#lib/format-time.ts'
import { paths } from '#lib/paths.ts'
import { fetchData, hasParts } from '#lib/query-client.ts'
import { queryKeys } from '#lib/query-keys.ts'
import { OperatorCard } from './operator-card.tsx'

const ThresholdDialog = lazy(() => import('./threshold-dialog.tsx'))

/** Changes refresh the page through live updates; this interval is for figures that only time changes. */
const REFRESH_MS = 60_000

type Props = { application: string; canSetThreshold: boolean; canReadStatement: boolean; canExport: boolean }

/** Available money per currency, then one card per operator. */
export function BalancesBoard({ application, canSetThreshold, canReadStatement, canExport }: Props) {
  const { t, locale, timeZone } = useTranslations()
  const [asked, setAsked] = useState<BalanceCard | null>(null)
  const { data, isError, refetch } = useQuery({
    queryKey: queryKeys.balances(application),
    queryFn: ({ signal }) => fetchData(paths.data(application, 'balances'), hasParts<BalancesDto>('free', 'cards'), signal),
    refetchInterval: REFRESH_MS,
  })
  if (!data) return <PageHeader title={t('frame.balances')} />
  return (
    <>
      <PageHeader
        title={t('frame.balances')}
        lead={t('balances.asOf', { time: formatTime(t, timeZone, new Date(data.asOf), 'full') })}
        actions={canExport && <ExportLinks application={application} rest="balances/export" label={t('balances.export')} />}
      />
      <div className="mt-3">
        <RefreshNotice isFailed={isError} onRetry={() => void refetch()} />
      </div>
      <dl className="flex flex-wrap gap-x-9 gap-y-3">
        {data.free.map((each) => (
          <div key={each.currency}>
            <dt className="text-second text-quiet">{t('balances.operators', { currency: each.currency, count: each.operators })}</dt>
            <dd className="tabular">
              <span className="text-figure font-strong tracking-[-0.01em]">{formatAmount(each.amount, locale)}</span>{' '}
              <span className="text-second text-quiet">{t('balances.free')}</span>
            </dd>
          </div>
        ))}
      </dl>
      <ul className="mt-4 grid grid-cols-[repeat(auto-fill,minmax(min(100%,18rem),1fr))] gap-3">
        {data.cards.map((card) => (
          <li key={card.operator} className="flex">
            <OperatorCard
              card={card}
              statementHref={canReadStatement ? paths.statement(application, card.operator) : null}
              onThreshold={canSetThreshold ? () => setAsked(card) : null}
            />
          </li>
        ))}
      </ul>
      <Suspense>{asked && <ThresholdDialog application={application} card={asked} onClose={() => setAsked(null)} />}</Suspense>
    </>
  )
}
