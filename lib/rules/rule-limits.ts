import { z } from 'zod'
import { CURRENCIES, type Currency } from '#lib/money/money.ts'
import { type CountryName, OPERATOR_CODES, OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'

/**
 * The limit of a rule in each currency, hundredths as a decimal text; amounts of different currencies are never compared. A rule with
 * limits does not apply to the currencies that it leaves out. No limits at all: any amount in every currency. `0`: any amount in that
 * currency.
 */
export const ruleLimitsSchema = z.partialRecord(z.enum(CURRENCIES), z.string().regex(/^(0|[1-9]\d{0,14})$/))
type WithLimits = { limits: Partial<Record<Currency, string | null>> }

/** Returns the limits of a rule in the order of CURRENCIES, as they are stored or typed. */
export function listLimits({ limits }: WithLimits): [currency: Currency, limit: string][] {
  return CURRENCIES.flatMap((currency): [Currency, string][] => {
    const limit = limits[currency]
    return limit === undefined || limit === null ? [] : [[currency, limit]]
  })
}

/** Returns the limit of a rule for amounts in a currency, hundredths; null: the rule does not apply to this currency. */
export function limitIn(rule: WithLimits, currency: Currency): string | null {
  return rule.limits[currency] ?? (listLimits(rule).length === 0 ? '0' : null)
}

/** Whether a rule lets amounts of a currency that it applies to pass. */
export function isAboutAmounts(rule: WithLimits): boolean {
  return listLimits(rule).some(([, limit]) => limit !== '0')
}

/** Returns the currencies of the operators that a rule applies to; null: every operator, every country. */
export function currenciesOf(rule: { operators: readonly OperatorCode[] | null; countries: readonly CountryName[] | null }): Currency[] {
  const places = (rule.operators ?? OPERATOR_CODES)
    .map((code) => OPERATORS[code].country)
    .filter(({ name }) => rule.countries === null || rule.countries.includes(name))
  return CURRENCIES.filter((currency) => places.some((country) => country.currency === currency))
}
