'use client'

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { ExportLinks } from '#components/domain/export-links.tsx'
import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { DaysNote } from '#components/domain/time-text.tsx'
import { RefreshNotice } from '#components/table/refresh-notice.tsx'
import { Button } from '#components/ui/button.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { PageHeader, Tabs } from '#components/ui/display/page.tsx'
import { Link } from '#components/ui/link.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import { type DatesQuery, type StatementQuery, statementAddress } from '#lib/finance/finance-address.ts'
import type { LineFilter } from '#lib/finance/finance-dto.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import { paths } from '#lib/pages/paths.ts'
import { queries } from '#lib/pages/queries.ts'
import { formatCount } from '#lib/text/format.ts'
import { formatTime } from '#lib/time/format-time.ts'
import { DatesFilter } from '../../../_components/finance/dates-filter.tsx'
import { useDays } from '../../../_components/finance/finance-figures.ts'
import { StatementLines } from './statement-lines.tsx'
import { StatementDays, StatementSums } from './statement-sums.tsx'

/** Changes refresh the page through live updates; this interval is for figures that only time changes. */
const REFRESH_MS = 60_000

type Props = { application: string; operator: OperatorCode; query: StatementQuery; canExport: boolean }

/** The statement of one operator: sums, then days or lines. Prints on A4. */
export function StatementBoard({ application, operator, query, canExport }: Props) {
  const { t, locale, timeZone } = useTranslations()
  const days = useDays()
  const router = useRouter()
  const dates = statementAddress({ ...query, view: 'days', kind: null, page: 0 })
  const { data, isError, refetch } = useQuery({
    ...queries.statement(application, operator, dates),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  })
  const hrefOf = (change: Partial<StatementQuery>) =>
    paths.statement(application, operator, statementAddress({ ...query, kind: null, page: 0, ...change }))
  const linesHref = (kind: LineFilter | null, dates: Partial<DatesQuery> = {}) => hrefOf({ view: 'lines', kind, ...dates })
  return (
    <>
      <p className="no-print text-second">
        <Link href={paths.balances(application)} className="text-ink-2 hover:underline">
          {t('frame.balances')}
        </Link>
      </p>
      <PageHeader
        title={t('statement.title')}
        lead={
          <>
            <OperatorMark code={operator} /> · {operator}
            {data && (
              <>
                {' '}
                · {days.range(data)} · <DaysNote zone={data.zone} />
              </>
            )}
          </>
        }
        actions={
          <>
            <Button onClick={() => print()}>{t('statement.print')}</Button>
            {canExport && (
              <ExportLinks
                application={application}
                rest={`balances/${operator}/export`}
                query={statementAddress(query)}
                label={t(query.view === 'lines' ? 'statement.exportLines' : 'statement.exportDays')}
              />
            )}
          </>
        }
      />
      <div className="no-print mt-3 flex gap-2">
        <DatesFilter query={query} onChange={(change) => router.push(hrefOf({ kind: query.kind, ...change }), { scroll: false })} />
      </div>
      <div className="mt-3">
        <RefreshNotice isFailed={isError && data !== undefined} onRetry={() => void refetch()} />
        {data && !data.agrees && <Notice tone="bad">{t('statement.differs')}</Notice>}
      </div>
      {data && (
        <>
          <StatementSums data={data} hrefOf={linesHref} />
          {data.agrees && (
            <p className="mt-2 text-second text-quiet">
              {t('statement.asOf', { time: formatTime(t, timeZone, new Date(data.asOf), 'full') })}
            </p>
          )}
          <div className="mt-4">
            <Tabs
              label={t('statement.view')}
              tabs={[
                { href: hrefOf({ view: 'days' }), label: t('statement.days'), isCurrent: query.view === 'days' },
                {
                  href: hrefOf({ view: 'lines' }),
                  label: t('statement.lines'),
                  count: formatCount(data.movements.count, locale),
                  isCurrent: query.view === 'lines',
                },
              ]}
            />
          </div>
          {query.view === 'days' ? (
            <StatementDays data={data} hrefOf={(kind, { from, to }) => linesHref(kind, { from, to })} />
          ) : (
            <StatementLines
              application={application}
              operator={operator}
              query={query}
              hrefFor={(page) => hrefOf({ kind: query.kind, page })}
              allHref={hrefOf({})}
            />
          )}
        </>
      )}
    </>
  )
}
