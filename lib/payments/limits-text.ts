import type { Locale } from '#lib/i18n/locale.ts'
import type { Currency } from '#lib/money/money.ts'
import type { LimitsText } from '#lib/operators/amount-limits.ts'
import { moneyText } from '#lib/text/format.ts'

/** Which of the two sentences says what an amount must be. */
export function limitsProblem({ multiple }: Pick<LimitsText, 'multiple'>): 'amount_out_of_limits' | 'amount_not_multiple' {
  return multiple === null ? 'amount_out_of_limits' : 'amount_not_multiple'
}

/** The values of both sentences. */
export function limitsValues({ minimum, maximum, multiple }: LimitsText, currency: Currency, locale: Locale) {
  const money = (amount: string) => moneyText({ amount, currency }, locale)
  return { minimum: money(minimum), maximum: money(maximum), multiple: multiple === null ? '' : money(multiple) }
}
