import type { Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { formatMinor } from '#lib/money/money.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { dayText, walletText } from '#lib/reconciliation/wallet-words.ts'
import { formatAmount, withPercent } from '#lib/text/format.ts'
import { clockIn } from '#lib/time/format-time.ts'
import type { Pool } from '#server/database/pool.ts'
import { openSnapshot } from '#server/database/with-transaction.ts'
import type { SetWallet } from '../wallets/wallet-store.ts'
import { walkClaim } from './fee-store.ts'

const BATCH_ROWS = 1_000

type Claim = { applicationId: string; wallet: SetWallet; from: string; to: string; t: Translate; locale: Locale }

/** A cell of the claim's table: words, an exact decimal, a day, or a time on the clock of the wallet. */
type Cell = { text: string } | { decimal: string } | { day: string } | { clock: string }
type Rows = AsyncGenerator<readonly (readonly Cell[])[], void, undefined>

/** The heads of a claim's table. */
export function claimHeads({ t, wallet: { zone } }: Pick<Claim, 't' | 'wallet'>): string[] {
  return [
    `${t('fees.time')} (${zone})`,
    t('fees.position'),
    t('fees.operatorId'),
    t('fees.ourId'),
    t('fees.phone'),
    t('fees.amount'),
    t('fees.agreed'),
    t('fees.billed'),
    t('fees.difference'),
    t('fees.currency'),
  ]
}

/**
 * A claim for the operator in its language: each payment and each fee line that was not billed as agreed, their sum, and what was agreed. It needs
 * nothing beside it. The rows hold a connection until they are read to their end or closed.
 */
export async function* claimRows(pool: Pool, { applicationId, wallet, from, to, t, locale }: Claim): Rows {
  const { currency } = OPERATORS[wallet.operator].country
  const money = (minor: bigint): Cell => ({ decimal: formatMinor(minor) })
  const sum = { amountMinor: 0n, agreedMinor: 0n, billedMinor: 0n }
  const snapshot = await openSnapshot(pool)
  try {
    for await (const items of walkClaim(snapshot.client, { applicationId, wallet: wallet.wallet, from, to }, BATCH_ROWS)) {
      for (const item of items) {
        sum.amountMinor += item.amountMinor
        sum.agreedMinor += item.agreedMinor
        sum.billedMinor += item.billedMinor
      }
      yield items.map((item): Cell[] => [
        item.kind === 'day' ? { day: item.day } : { clock: clockIn(wallet.zone, item.at) },
        { text: item.kind === 'day' ? t('fees.dayPosition', { count: item.count }) : item.type },
        { text: item.operatorId ?? '' },
        { text: item.ourId ?? '' },
        { text: item.phone ?? '' },
        money(item.amountMinor),
        money(item.agreedMinor),
        money(item.billedMinor),
        money(item.billedMinor - item.agreedMinor),
        { text: currency },
      ])
    }
  } finally {
    await snapshot.close()
  }
  const { amountMinor, agreedMinor, billedMinor } = sum
  const figures = [money(amountMinor), money(agreedMinor), money(billedMinor), money(billedMinor - agreedMinor), { text: currency }]
  const about = (text: string): Cell[] => [{ text: '' }, { text }, ...Array.from({ length: 8 }, () => ({ text: '' }))]
  yield [
    [{ text: '' }, { text: t('fees.total') }, { text: '' }, { text: '' }, { text: '' }, ...figures],
    about(t('fees.claimAccount', { wallet: walletText(t, wallet.wallet), number: wallet.number ?? t('close.notSet') })),
    about(t('fees.claimPeriod', { from: dayText(t, from), to: dayText(t, to) })),
    about(agreementText(t, locale, wallet)),
  ]
}

/** The agreement, in one sentence; of a wallet without an agreement that there is none. */
export function agreementText(t: Translate, locale: Locale, wallet: SetWallet): string {
  const { feePpm, feeFixedMinor, feeRounding, feeTaxPpm, feeForm, operator } = wallet
  if (feePpm === null || feeFixedMinor === null) return t('fees.noAgreement')
  const percent = (ppm: number) => withPercent(formatAmount(String(ppm / 10_000), locale), locale)
  return t('fees.agreement', {
    rate: percent(feePpm),
    fixed: `${formatAmount(formatMinor(feeFixedMinor), locale)} ${OPERATORS[operator].country.currency}`,
    tax: percent(feeTaxPpm),
    rounding: t(`fees.rounding.${feeRounding}`),
    form: t(`fees.form.${feeForm}`),
  })
}
