'use client'

import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { ExportLinks } from '#components/domain/export-links.tsx'
import { Money } from '#components/domain/money.tsx'
import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { RefreshNotice } from '#components/table/refresh-notice.tsx'
import { Sparkline } from '#components/ui/chart/chart-parts.tsx'
import { PageHeader, Tabs } from '#components/ui/display/page.tsx'
import { Link } from '#components/ui/link.tsx'
import { onDemand } from '#components/ui/overlay/on-demand.tsx'
import { useNow, useTranslations } from '#components/ui/translations.tsx'
import { BALANCES_VIEWS, type BalanceCard, type BalancesView } from '#lib/finance/finance-dto.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { paths } from '#lib/pages/paths.ts'
import { queries } from '#lib/pages/queries.ts'
import { formatAmount } from '#lib/text/format.ts'
import { formatTime } from '#lib/time/format-time.ts'
import { BalancesTable } from './balances-table.tsx'

const ThresholdDialog = onDemand(async () => (await import('./threshold-dialog.tsx')).ThresholdDialog)

/** Changes refresh the page through live updates; this interval is for figures that only time changes. */
const REFRESH_MS = 60_000

type Props = { application: string; view: BalancesView; canSetThreshold: boolean; canReadStatement: boolean; canExport: boolean }

/** Available money per currency, then one card or one line of a table per operator. */
export function BalancesBoard({ application, view, canSetThreshold, canReadStatement, canExport }: Props) {
  const { t, locale, timeZone } = useTranslations()
  const [asked, setAsked] = useState<BalanceCard | null>(null)
  const { data, isError, refetch } = useQuery({
    ...queries.balances(application),
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
      <div className="mt-4">
        <Tabs
          label={t('balances.views')}
          tabs={BALANCES_VIEWS.map((each) => ({
            href: paths.balances(application, { view: each }),
            label: t(`balances.view.${each}`),
            isCurrent: each === view,
          }))}
        />
      </div>
      {view === 'table' ? (
        <BalancesTable application={application} cards={data.cards} canReadStatement={canReadStatement} />
      ) : (
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
      )}
      {asked && <ThresholdDialog application={application} card={asked} onClose={() => setAsked(null)} />}
    </>
  )
}

const QUIET_LINK = 'text-second text-accent hover:underline'

type OperatorCardProps = { card: BalanceCard; statementHref: string | null; onThreshold: (() => void) | null }

/** The balances of one operator: available for deposits with its trend, collected, on hold, and the fees that are earned. */
function OperatorCard({ card, statementHref, onThreshold }: OperatorCardProps) {
  const { t } = useTranslations()
  const { operator, currency } = card
  const isUntouched = [card.collect, card.deposit, card.held].every((amount) => amount === '0') && card.trend.every((value) => value === 0)
  const name = `${OPERATORS[operator].brand} ${t(`country.${OPERATORS[operator].country.name}`)}`
  return (
    <article aria-label={name} className="flex min-w-0 flex-1 flex-col rounded-lg border border-line bg-surface p-4">
      <h2 className="flex items-baseline justify-between gap-2 text-work font-strong">
        <OperatorMark code={operator} />
        <span className="text-second font-medium text-quiet">{operator}</span>
      </h2>
      <div className="mt-2 flex h-[26px] items-center justify-between gap-2">
        <p className="text-second text-quiet">{t('balances.deposit')}</p>
        {!isUntouched && (
          <Sparkline values={card.trend} label={t('balances.trend', { operator: name })} tone={card.isLow ? 'bad' : 'accent'} />
        )}
      </div>
      <p>
        <Figure href={isUntouched ? null : statementHref}>
          <Money
            amount={card.deposit}
            currency={currency}
            size="balance"
            className={card.isLow ? 'text-bad' : isUntouched ? 'text-quiet' : ''}
          />
        </Figure>
      </p>
      <dl className="mt-3 grid gap-0.5">
        <Line
          name={t('balances.collect')}
          card={card}
          amount={card.collect}
          href={isUntouched ? null : statementHref}
          isQuiet={isUntouched}
        />
        <Line name={t('balances.held')} card={card} amount={card.held} href={isUntouched ? null : statementHref} isQuiet={isUntouched} />
        {/* No statement ends with it. */}
        {card.fees !== '0' && <Line name={t('balances.fees')} card={card} amount={card.fees} href={null} isQuiet={false} />}
      </dl>
      {card.isLow && card.threshold !== null && <LowMark card={card} threshold={card.threshold} />}
      {(statementHref || onThreshold) && (
        <p className="no-print mt-auto flex flex-col items-start gap-1 pt-3">
          {statementHref && (
            <Link href={statementHref} className={QUIET_LINK}>
              {t('balances.statement')}
              <span className="sr-only">, {name}</span>
            </Link>
          )}
          {onThreshold && (
            <button type="button" onClick={onThreshold} className={QUIET_LINK}>
              <Threshold card={card} />
              <span className="sr-only">, {name}</span>
            </button>
          )}
        </p>
      )}
    </article>
  )
}

/** A balance. Links to the statement that ends with it, if the person may read it. */
function Figure({ href, children }: { href: string | null; children: ReactNode }) {
  return href === null ? (
    children
  ) : (
    <Link href={href} className="inline-block hover:underline">
      {children}
    </Link>
  )
}

type LineProps = { name: string; card: BalanceCard; amount: string; href: string | null; isQuiet: boolean }

function Line({ name, card, amount, href, isQuiet }: LineProps) {
  return (
    <div className="flex flex-wrap justify-between gap-x-3">
      <dt className="text-ink-2">{name}</dt>
      <dd className="ml-auto">
        <Figure href={href}>
          <Money amount={amount} currency={card.currency} className={isQuiet ? 'text-quiet' : ''} />
        </Figure>
      </dd>
    </div>
  )
}

function LowMark({ card, threshold }: { card: BalanceCard; threshold: string }) {
  const { t, locale, timeZone } = useTranslations()
  const now = useNow()
  const amount = `${formatAmount(threshold, locale)} ${card.currency}`
  const since = card.lowSince === null ? null : new Date(card.lowSince)
  const isToday = since !== null && formatTime(t, timeZone, since, 'day-year') === formatTime(t, timeZone, now, 'day-year')
  return (
    <p className="mt-2 text-second text-bad">
      {since
        ? t('balances.lowSince', { amount, time: formatTime(t, timeZone, since, isToday ? 'time' : 'day-time') })
        : t('balances.low', { amount })}
    </p>
  )
}

function Threshold({ card }: { card: BalanceCard }) {
  const { t, locale } = useTranslations()
  return card.threshold === null
    ? t('balances.setThreshold')
    : t('balances.threshold', { amount: `${formatAmount(card.threshold, locale)} ${card.currency}` })
}
