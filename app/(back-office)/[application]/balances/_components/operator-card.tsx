'use client'

import type { ReactNode } from 'react'
import { Money } from '#components/domain/money.tsx'
import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { Link } from '#components/ui/link.tsx'
import { Sparkline } from '#components/ui/sparkline.tsx'
import { useNow, useTranslations } from '#components/ui/translations.tsx'
import type { BalanceCard } from '#lib/finance-dto.ts'
import { formatAmount } from '#lib/format.ts'
import { formatTime } from '#lib/format-time.ts'
import { OPERATORS } from '#lib/operators.ts'

const QUIET_LINK = 'text-second text-accent hover:underline'

type Props = { card: BalanceCard; statementHref: string | null; onThreshold: (() => void) | null }

/** The balances of one operator: available for deposits with its trend, collected, on hold. */
export function OperatorCard({ card, statementHref, onThreshold }: Props) {
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
