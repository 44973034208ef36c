'use client'

import { useTranslations } from '#components/ui/translations.tsx'
import type { Currency } from '#lib/money/money.ts'
import { formatAmount } from '#lib/text/format.ts'

const SIZES = {
  work: 'text-work',
  amount: 'text-amount font-strong',
  balance: 'text-balance font-strong',
  figure: 'text-figure font-strong tracking-[-0.01em]',
}

/** An exact decimal (as formatMinor writes it), followed by its currency in small grey text. */
export function Money({
  amount,
  currency,
  size = 'work',
  className = '',
}: {
  amount: string
  currency: Currency
  size?: keyof typeof SIZES
  className?: string
}) {
  const { locale } = useTranslations()
  return (
    <span className={`tabular whitespace-nowrap ${className}`}>
      <span className={SIZES[size]}>{formatAmount(amount, locale)}</span>{' '}
      <span className={`text-quiet ${size === 'figure' || size === 'balance' ? 'text-work' : 'text-second'}`}>{currency}</span>
    </span>
  )
}
