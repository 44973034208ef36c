'use client'

import { Notice } from '#components/ui/empty-state.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import type { DecidedItem } from '#lib/approvals.ts'
import { formatAmount } from '#lib/format.ts'
import { sumItems } from './decision-text.ts'

/** What exactly is decided: sums first, then each item. */
export function ItemList({ items, total }: { items: readonly DecidedItem[]; total: number }) {
  const { t, locale } = useTranslations()
  const first = items[0]
  if (items.length === 1 && first) {
    return (
      <p>
        <span className="text-amount font-strong tabular">{formatAmount(first.amount, locale)}</span>{' '}
        <span className="text-quiet">{first.currency}</span> · {first.customerName}
      </p>
    )
  }
  return (
    <div className="grid gap-2">
      <p className="font-strong tabular">
        {sumItems(items)
          .map((sum) => t('approvals.dialog.sum', { count: sum.count, amount: `${formatAmount(sum.amount, locale)}\u00a0${sum.currency}` }))
          .join(' · ')}
      </p>
      {total > items.length && <Notice tone="wait">{t('approvals.dialog.cut', { count: items.length, total })}</Notice>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a list that scrolls must be reachable by keyboard */}
      <ul tabIndex={0} aria-label={t('approvals.dialog.list')} className="max-h-48 overflow-y-auto rounded-sm border border-line">
        {items.map((item) => (
          <li key={item.transactionId} className="flex justify-between gap-3 border-b border-line px-2.5 py-1 last:border-b-0">
            <span className="truncate">{item.customerName}</span>
            <span className="whitespace-nowrap tabular">
              {formatAmount(item.amount, locale)} <span className="text-second text-quiet">{item.currency}</span>
            </span>
          </li>
        ))}
      </ul>
    </div>
  )
}
