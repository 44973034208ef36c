import type { Locale } from '#lib/i18n/locale.ts'
import type { MessageKey } from '#lib/i18n/translate.ts'
import { compareDecimals, parseTypedAmount } from '#lib/money/money.ts'
import { type CountryName, OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import { LINK_PAYMENTS_MAX } from '#lib/payments/payment-links.ts'
import { err, ok, type Result } from '#lib/result.ts'

type LinkInput = {
  linkId: string
  purpose: string
  country: CountryName
  operators: OperatorCode[]
  amount: string | null
  minimum: string | null
  maximum: string | null
  paymentsMax: number | null
  lastDay: string | null
}

export type LinkProblems = Partial<
  Record<'purpose' | 'operators' | 'amount' | 'minimum' | 'maximum' | 'paymentsMax' | 'lastDay', MessageKey>
>

type Around = { linkId: string; country: CountryName; offered: readonly OperatorCode[]; today: string; locale: Locale }

/** Reads the form as it was typed. The browser gets no schema: the action checks the same once more. */
export function readLinkForm(form: FormData, { linkId, country, offered, today, locale }: Around): Result<LinkInput, LinkProblems> {
  const textOf = (name: string) => String(form.get(name) ?? '').trim()
  const decimalOf = (name: string) => (form.has(name) ? (parseTypedAmount(textOf(name), locale) ?? '') : null)
  const operators = offered.filter((code) => form.get(code) === 'on')
  const [amount, minimum, maximum] = [decimalOf('amount'), decimalOf('minimum'), decimalOf('maximum')]
  const limit = textOf('paymentsMax')
  const paymentsMax = form.get('uses') === 'once' ? 1 : limit === '' ? null : Number(limit)
  const lastDay = textOf('lastDay')
  const isWhole = operators.some((code) => OPERATORS[code].decimals === 0)
  const problems: LinkProblems = {
    ...(textOf('purpose') === '' && { purpose: 'form.field.required' }),
    ...(operators.length === 0 && { operators: 'links.wrong.operators' }),
    ...amountProblem('amount', amount, isWhole),
    ...amountProblem('minimum', minimum, isWhole),
    ...(minimum !== null && maximum !== null && minimum !== '' && maximum !== '' && compareDecimals(maximum, minimum) < 0
      ? { maximum: 'links.wrong.limits' as const }
      : amountProblem('maximum', maximum, isWhole)),
    ...(paymentsMax !== null && !isCount(paymentsMax) && { paymentsMax: 'links.wrong.paymentsMax' }),
    ...(lastDay !== '' && lastDay < today && { lastDay: 'links.wrong.lastDay' }),
  }
  if (Object.keys(problems).length > 0) return err(problems)
  const read = { linkId, purpose: textOf('purpose'), country, operators, amount, minimum, maximum, paymentsMax }
  return ok({ ...read, lastDay: lastDay === '' ? null : lastDay })
}

function isCount(count: number): boolean {
  return Number.isInteger(count) && count >= 1 && count <= LINK_PAYMENTS_MAX
}

function amountProblem(field: 'amount' | 'minimum' | 'maximum', decimal: string | null, isWhole: boolean): LinkProblems {
  if (decimal === null) return {}
  if (!/[1-9]/.test(decimal)) return { [field]: 'payment.wrong.amount' }
  return isWhole && /\.\d*[1-9]/.test(decimal) ? { [field]: 'payment.wrong.decimals' } : {}
}
