'use client'

import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Icon, type IconName } from '#components/ui/icon.tsx'
import { Link } from '#components/ui/link.tsx'
import { Skeleton } from '#components/ui/skeleton.tsx'
import { useNow, useWords } from '#components/ui/words.tsx'
import type { ApprovalEvidence, ApprovalRow, ApprovalView } from '#lib/approvals.ts'
import { formatAmount } from '#lib/format.ts'
import { formatRelative, formatTime } from '#lib/format-time.ts'
import type { Locale } from '#lib/i18n/locale.ts'
import { OPERATORS } from '#lib/operators.ts'
import { paths } from '#lib/paths.ts'
import { fetchData } from '#lib/query-client.ts'
import { queryKeys } from '#lib/query-keys.ts'

/** What our own rows say about a payment, line by line; amber where somebody should look twice. */
export function Evidence({ application, row }: { application: string; row: ApprovalRow }) {
  const { t } = useWords()
  const { data, isError } = useQuery({
    queryKey: queryKeys.approval(application, row.transactionId),
    queryFn: ({ signal }) => fetchData<ApprovalView>(paths.data(application, `approvals/${row.transactionId}`), signal),
  })
  return (
    <section aria-label={t('approvals.evidence.title')} className="border-t border-line pt-4">
      <h2 className="pb-2.5 text-second font-regular text-quiet">{t('approvals.evidence.title')}</h2>
      {data ? (
        <Lines application={application} row={row} evidence={data.evidence} />
      ) : isError ? (
        <p className="text-ink-2">{t('approvals.evidence.failed')}</p>
      ) : (
        <Waiting />
      )}
    </section>
  )
}

function Waiting() {
  return (
    <div className="grid gap-3.5">
      {['w-64', 'w-56', 'w-60'].map((width) => (
        <div key={width} className="grid h-[38px] gap-1.5">
          <Skeleton className={`h-4 ${width}`} />
          <Skeleton className="h-3.5 w-40" />
        </div>
      ))}
    </div>
  )
}

function Line({
  icon,
  isWarning = false,
  second,
  children,
}: {
  icon: IconName
  isWarning?: boolean
  second?: ReactNode
  children: ReactNode
}) {
  return (
    <li className="flex gap-2.5">
      <Icon name={icon} className={`mt-0.5 size-4 ${isWarning ? 'text-wait' : 'text-ink-3'}`} />
      <span className="min-w-0">
        <span className="block">{children}</span>
        {second && <span className="block text-second text-quiet">{second}</span>}
      </span>
    </li>
  )
}

function Lines({ application, row, evidence }: { application: string; row: ApprovalRow; evidence: ApprovalEvidence }) {
  const { t, locale, timeZone } = useWords()
  const now = useNow()
  const money = (amount: string) => `${formatAmount(amount, locale)}\u00a0${row.currency}`
  const day = (at: string) => formatTime(t, timeZone, new Date(at), 'day-year')
  const { history, balance, nameBefore, operatorBefore } = evidence
  const verb = row.type === 'DEPOSIT' ? 'paid' : 'collected'
  const operator = `${OPERATORS[row.operator].brand} ${t(`country.${OPERATORS[row.operator].country.name}`)}`
  return (
    <ul className="grid gap-3.5">
      {evidence.nearEqual.map((near) => (
        <Line
          key={near.transactionId}
          icon="sign"
          isWarning
          second={
            <>
              {t(near.isSameName ? 'approvals.evidence.sameName' : 'approvals.evidence.otherName')}{' '}
              <Link href={paths.transaction(application, near.transactionId)} className="text-accent underline">
                {t('approvals.evidence.open')}
              </Link>
            </>
          }
        >
          {t(`approvals.evidence.near.${near.status === 'SUCCESS' ? verb : 'waiting'}`, {
            amount: money(near.amount),
            when: formatRelative(t, new Date(near.at), now),
          })}
        </Line>
      ))}
      {history ? (
        <Line
          icon="lines"
          isWarning={history.timesMedian >= 2}
          second={
            history.timesMedian >= 2
              ? t('approvals.evidence.times', { times: timesText(history.timesMedian, locale) })
              : t('approvals.evidence.last', { amount: money(history.lastAmount), day: day(history.lastAt) })
          }
        >
          {t(`approvals.evidence.history.${verb}`, {
            more: history.isMore ? '≥\u00a0' : '',
            times: history.count,
            since: day(history.since),
            range:
              history.low === history.high
                ? money(history.low)
                : t('approvals.evidence.range', { low: formatAmount(history.low, locale), high: money(history.high) }),
          })}
        </Line>
      ) : (
        <Line
          icon="info"
          isWarning
          second={evidence.failedBefore > 0 ? t('approvals.evidence.failedBefore', { count: evidence.failedBefore }) : undefined}
        >
          {t(`approvals.evidence.first.${verb}`)}
        </Line>
      )}
      {nameBefore && (
        <Line icon="people" isWarning second={t('approvals.evidence.nameAt', { day: day(nameBefore.at) })}>
          {t(nameBefore.isOtherSpelling ? 'approvals.evidence.spelling' : 'approvals.evidence.name', { name: nameBefore.name })}
        </Line>
      )}
      {operatorBefore && (
        <Line icon="refresh" isWarning>
          {t('approvals.evidence.operator', { operator: OPERATORS[operatorBefore].brand })}
        </Line>
      )}
      {balance && (
        <Line
          icon="wallet"
          isWarning={balance.afterThis.startsWith('-')}
          second={t('approvals.evidence.afterAll', { amount: money(balance.afterAllWaiting), count: balance.waitingCount })}
        >
          {t(balance.afterThis.startsWith('-') ? 'approvals.evidence.short' : 'approvals.evidence.after', {
            operator,
            amount: money(balance.afterThis),
          })}
        </Line>
      )}
    </ul>
  )
}

/** `2.5`, `45`: a decimal only where it says something. */
function timesText(times: number, locale: Locale): string {
  const text = times >= 10 ? String(Math.round(times)) : String(times)
  return locale === 'fr' ? text.replace('.', ',') : text
}
