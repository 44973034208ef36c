import { createHash } from 'node:crypto'
import type { Locale } from '#lib/i18n/locale.ts'
import { parseAmountMinor, parseTypedAmount } from '#lib/money/money.ts'
import { isOperatorCode, OPERATORS } from '#lib/operators/operators.ts'
import { PAYMENT_TEXTS } from '#lib/payments/payment-fields.ts'
import { advisePhone, cleanPhone, isCompleteNumber } from '#lib/payments/phone-number.ts'
import { err, ok, type Result } from '#lib/result.ts'
import type { LinkPaymentForm } from '#lib/schemas/payment-link.ts'
import { isCleanText } from '#lib/text/clean-text.ts'
import type { StartRequest } from '#server/transactions/find-start-problems.ts'
import type { CustomerLink } from './payment-link-store.ts'

export type EnteredField = 'operator' | 'phoneNumber' | 'customerName' | 'amount'

/** Reads the form of a customer into the request for a collect, under the terms of its link. Errors: the fields that are wrong. */
export function readEnteredPayment(link: CustomerLink, form: LinkPaymentForm, locale: Locale): Result<StartRequest, EnteredField[]> {
  const operator = link.operators.find((code) => code === form.operator)
  const phoneNumber = readNumber(link, form)
  const customerName = form.customerName.trim()
  const isNamed = customerName !== '' && [...customerName].length <= PAYMENT_TEXTS.customerName.lengthMax && isCleanText(customerName)
  const amountMinor = link.amountMinor ?? readAmount(link, form, locale)
  if (operator && phoneNumber !== undefined && isNamed && amountMinor !== undefined) {
    const request = {
      transferMethod: operator,
      countryName: link.country,
      customerName,
      purpose: link.purpose,
      phoneNumber,
      amount: amountMinor,
    }
    // No program waits for the result: it goes to the default address of the application, if there is one.
    return ok({ ...request, webhookUrl: null, externalId: externalIdOf(link.linkId, form.attempt, request) })
  }
  const wrong: (EnteredField | false)[] = [
    !operator && 'operator',
    phoneNumber === undefined && 'phoneNumber',
    !isNamed && 'customerName',
    amountMinor === undefined && 'amount',
  ]
  return err(wrong.filter((field) => field !== false))
}

/** Returns the number with its dial code, also of what was typed as people say it, or as it was before the country added digits. */
function readNumber({ country }: CustomerLink, form: LinkPaymentForm): string | undefined {
  const typed = cleanPhone(form.phoneNumber)
  const advice = advisePhone(typed, country, isOperatorCode(form.operator) ? form.operator : null)
  const phoneNumber = advice?.kind === 'dial_code' || advice?.kind === 'old_number' ? advice.suggestion : typed
  return isCompleteNumber(phoneNumber, country) ? phoneNumber : undefined
}

function readAmount({ minimumMinor, maximumMinor, operators }: CustomerLink, form: LinkPaymentForm, locale: Locale): bigint | undefined {
  const amountMinor = parseAmountMinor(parseTypedAmount(form.amount, locale) ?? '')
  if (amountMinor === undefined || minimumMinor === null || maximumMinor === null) return undefined
  const isWhole = operators.some((code) => OPERATORS[code].decimals === 0)
  const isWithin = amountMinor >= minimumMinor && amountMinor <= maximumMinor
  return isWithin && (!isWhole || amountMinor % 100n === 0n) ? amountMinor : undefined
}

/**
 * The identity of a collect: the same form sent again is the same collect, a corrected one is another. A digest, so that nobody can choose an
 * externalId that a program of the application uses.
 */
function externalIdOf(linkId: string, attempt: string, { amount, ...texts }: Omit<StartRequest, 'externalId' | 'webhookUrl'>): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([linkId, attempt, texts.transferMethod, texts.phoneNumber, texts.customerName, String(amount)]))
    .digest()
  // The bits that say version 4.
  digest[6] = (digest.readUInt8(6) & 0x0f) | 0x40
  digest[8] = (digest.readUInt8(8) & 0x3f) | 0x80
  const hex = digest.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-')
}
