import type { Translate } from '#lib/i18n/translate.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { findWallet } from './wallets.ts'

/** A wallet in words: `MTN Cameroon, collects`. */
export function walletText(t: Translate, wallet: string): string {
  const found = findWallet(wallet)
  if (!found) return wallet
  const { brand, country } = OPERATORS[found.operator]
  const name = `${brand} ${t(`country.${country.name}`)}`
  return found.account === 'both' ? name : `${name}, ${t(`close.account.${found.account}`).toLowerCase()}`
}

/** A day as people read it: `5 Nov 2026`. */
export function dayText(t: Translate, day: string): string {
  const month = t('time.months').split(' ')[Number(day.slice(5, 7)) - 1] ?? ''
  return `${Number(day.slice(8))} ${month} ${day.slice(0, 4)}`
}
