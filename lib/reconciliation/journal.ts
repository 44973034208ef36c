import { z } from 'zod'
import { LOCALES } from '#lib/i18n/locale.ts'
import { CURRENCIES } from '#lib/money/money.ts'
import { pageFromOne } from '#lib/schemas/read-address.ts'
import { DAY_MS, isUtcDay } from '#lib/time/time.ts'
import { findWallet, WALLET_IDS } from './wallets.ts'

/**
 * The accounts on which signed days are booked, in the order of their lines, with their codes in the chart of SYSCOHADA. They are version 0 of the
 * mapping: entries were numbered with them, so they never change. The texts are `journal.account.<account>`.
 */
export const JOURNAL_ACCOUNTS = {
  /** Money at the operator. */
  wallet: '552',
  /** Money on its way between own accounts. */
  transfers: '585',
  /** Money of the applications, each with its slug as auxiliary account. */
  partners: '4731',
  /** Payments out, and in, that nobody knows. */
  suspense_out: '4711',
  suspense_in: '4712',
  operator_fees: '6317',
  taxes: '648',
  loss: '6588',
  service_fees: '7061',
  commission: '7072',
  gain: '7588',
} as const
export type JournalAccount = keyof typeof JOURNAL_ACCOUNTS
export const JOURNAL_ACCOUNT_NAMES = Object.keys(JOURNAL_ACCOUNTS) as [JournalAccount, ...JournalAccount[]]

/** No sign at the beginning that a spreadsheet could take for a formula, and no longer than a program accepts. */
const code = z.string().regex(/^[0-9A-Za-z][0-9A-Za-z.]{0,12}$/)
/** The codes of a chart: of the journal, of each account, and of wallets that have one of their own. */
export const journalCodesSchema = z.strictObject({
  journal: z.string().regex(/^[0-9A-Z]{1,6}$/),
  accounts: z.record(z.enum(JOURNAL_ACCOUNT_NAMES), code),
  wallets: z.record(
    z.string().refine((id) => findWallet(id) !== undefined),
    code,
  ),
})
export type JournalCodes = z.output<typeof journalCodesSchema>
export const DEFAULT_CODES: JournalCodes = { journal: 'MM', accounts: JOURNAL_ACCOUNTS, wallets: {} }

/** The files for bookkeeping programs. */
export const JOURNAL_FORMATS = ['csv', 'sage', 'odoo'] as const
export type JournalFormat = (typeof JOURNAL_FORMATS)[number]

const day = z.string().refine(isUtcDay)
const wallet = z.enum(WALLET_IDS)
/** The address of the journal. Without a filter: everything. */
export const journalFilterSchema = z.object({
  from: day.nullable().default(null),
  to: day.nullable().default(null),
  wallet: wallet.nullable().default(null).catch(null),
  page: pageFromOne(100_000),
})
export type JournalFilter = z.output<typeof journalFilterSchema>

/** A file holds a year at most, so that it is made in memory. */
const FILE_DAYS_MAX = 366
/** The address of a file, by default of a month: one currency, because a chart has one. `after`: only entries with a higher number. */
export const journalFileSchema = z
  .object({
    from: day.optional(),
    to: day.optional(),
    currency: z.enum(CURRENCIES).default('XAF'),
    format: z.enum(JOURNAL_FORMATS).default('csv'),
    language: z.enum(LOCALES).default('en'),
    after: z
      .string()
      .regex(/^\d{0,15}$/)
      .default(''),
  })
  .refine(({ from, to }) => !from || !to || (from <= to && Date.parse(to) - Date.parse(from) < FILE_DAYS_MAX * DAY_MS))
export type JournalFile = Required<z.output<typeof journalFileSchema>>

/** An entry as the list shows it. `total`: a decimal, the sum of its debits. */
export type JournalEntryDto = {
  number: number
  kind: 'day' | 'reversal'
  wallet: string
  day: string
  version: number
  reverses: number | null
  reversedBy: number | null
  currency: string
  journal: string
  total: string
  numberedAt: string
}
/** Amounts are decimals; one of the two is null. */
export type JournalLineDto = {
  account: JournalAccount
  code: string
  auxiliary: string | null
  debit: string | null
  credit: string | null
}
