'use client'

import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { PaymentLine } from '#components/domain/payment.tsx'
import { Notice } from '#components/ui/empty-state.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import type { DecidedItem } from '#lib/approvals.ts'
import { formatCount } from '#lib/format.ts'

/** The selection: operators first, then each item that has a risk flag, then the others. */
export function PanelSelection({ items, total }: { items: readonly DecidedItem[]; total: number }) {
  const { t, locale } = useTranslations()
  const flagged = items.filter((item) => item.risks.length > 0)
  const others = items.filter((item) => item.risks.length === 0)
  const operators = Map.groupBy(items, (item) => item.operator)
  return (
    <>
      {total > items.length && <Notice tone="wait">{t('approvals.dialog.cut', { count: items.length, total })}</Notice>}
      <ul aria-label={t('approvals.field.operator')} className="flex flex-wrap gap-x-4 gap-y-1">
        {[...operators].map(([operator, own]) => (
          <li key={operator} className="flex items-baseline gap-1.5">
            <OperatorMark code={operator} /> <span className="text-quiet tabular">{formatCount(own.length, locale)}</span>
          </li>
        ))}
      </ul>
      <Items title={t('approvals.selection.flagged', { count: flagged.length })} items={flagged} />
      <Items title={t('approvals.selection.others', { count: others.length })} items={others} />
    </>
  )
}

function Items({ title, items }: { title: string; items: readonly DecidedItem[] }) {
  if (items.length === 0) return null
  return (
    <section>
      <h2 className="pb-1.5 text-second font-regular text-quiet">{title}</h2>
      <ul aria-label={title} className="rounded-sm border border-line">
        {items.map((item) => (
          <li key={item.transactionId} className="border-b border-line px-3 py-2 last:border-b-0">
            <PaymentLine payment={item} />
          </li>
        ))}
      </ul>
    </section>
  )
}
