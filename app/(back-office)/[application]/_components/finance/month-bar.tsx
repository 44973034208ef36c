import { ButtonLink } from '#components/ui/button.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import { addDays, monthEnd, type UtcDay } from '#lib/time/time.ts'

/** A month, `2026-11`, with its first and its last day. */
export function monthOf(month: string): { from: UtcDay; to: UtcDay } {
  return { from: `${month}-01`, to: monthEnd(month) }
}

/** The month in words, between links to the one before and the one after. */
export function MonthBar({ t, month, hrefOf }: { t: Translate; month: string; hrefOf: (month: string) => string }) {
  const { from, to } = monthOf(month)
  const name = t('time.months').split(' ')[Number(month.slice(5, 7)) - 1] ?? ''
  return (
    <div className="mt-4 flex flex-wrap items-center gap-2">
      <ButtonLink href={hrefOf(addDays(from, -1).slice(0, 7))}>{t('fees.monthBefore')}</ButtonLink>
      <span className="font-strong">{t('fees.month', { month: name, year: month.slice(0, 4) })}</span>
      <ButtonLink href={hrefOf(addDays(to, 1).slice(0, 7))}>{t('fees.monthAfter')}</ButtonLink>
    </div>
  )
}
