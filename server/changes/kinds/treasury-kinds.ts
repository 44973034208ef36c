import { z } from 'zod'
import type { ChangeFacts } from '#lib/approvals/proposed-change.ts'
import { SCHEDULE_PERIODS } from '#lib/finance/withdrawal-schedule.ts'
import { groupBankNumber, readBankNumber } from '#lib/money/bank-number.ts'
import { CURRENCIES } from '#lib/money/money.ts'
import { OPERATOR_CODES, OPERATORS } from '#lib/operators/operators.ts'
import { err, ok } from '#lib/result.ts'
import { text } from '#lib/schemas/proposal.ts'
import {
  findMinimum,
  findSchedule,
  listBankAccounts,
  readBankAccount,
  type ScheduleTerms,
} from '#server/reconciliation/treasury/bank-store.ts'
import {
  addBankAccount,
  bankAccountText,
  removeBankAccount,
  setMinimum,
  setSchedule,
} from '#server/reconciliation/treasury/treasury-terms.ts'
import { type ChangeKind, defineKind } from '../change-kind.ts'

const currency = z.enum(CURRENCIES)
/** Hundredths as a decimal string. */
const keepMinor = z.string().regex(/^(0|[1-9]\d{0,11})$/)

/** A bank account that withdrawals may go to. Both people see the whole number, to compare it with a document of the bank. */
const add: ChangeKind = defineKind({
  schema: z.strictObject({ holder: text(100).min(1), bank: text(100).min(1), currency, number: text(60) }),
  subjectOf: ({ number, currency: of }) => `${number.replaceAll(/\W/g, '').toUpperCase()} ${of}`,
  async read(queryable, applicationId, { holder, bank, currency: of, number }) {
    const known = readBankNumber(number, of)
    if (!known.ok) return err({ code: known.error, fields: { number: known.error } })
    const present = await listBankAccounts(queryable, applicationId)
    if (present.some((each) => each.number === known.value.number && each.currency === of)) return err('bank_account_exists')
    const about = `${bank} · ${holder}`
    return ok({ before: { about }, after: { about, holder, bank, accountCurrency: of, bankNumber: groupBankNumber(known.value.number) } })
  },
  async apply(trx, { applicationId, changeId, actor, payload: { number, ...account } }) {
    const known = readBankNumber(number, account.currency)
    return known.ok ? addBankAccount(trx, { applicationId, changeId, actor, account: { ...account, ...known.value } }) : known
  },
})

const remove: ChangeKind = defineKind({
  schema: z.strictObject({ bankAccountId: z.uuid() }),
  subjectOf: ({ bankAccountId }) => bankAccountId,
  async read(queryable, applicationId, { bankAccountId }) {
    const account = await readBankAccount(queryable, applicationId, bankAccountId)
    if (!account || account.isRemoved) return err('unknown_bank_account')
    const about = bankAccountText(account)
    return ok({ before: { about, isEnabled: true }, after: { about, isEnabled: false } })
  },
  apply: (trx, { applicationId, changeId, actor, payload }) => removeBankAccount(trx, { applicationId, changeId, actor, ...payload }),
})

/** The smallest withdrawal in a currency; null: any amount. */
const minimum: ChangeKind = defineKind({
  schema: z.strictObject({ currency, minimumMinor: keepMinor.refine((minor) => minor !== '0').nullable() }),
  subjectOf: ({ currency: of }) => of,
  async read(queryable, applicationId, { currency: of, minimumMinor }) {
    const present = await findMinimum(queryable, applicationId, of)
    return ok({ before: { about: of, minimumMinor: present === null ? null : String(present) }, after: { about: of, minimumMinor } })
  },
  apply: (trx, { applicationId, changeId, actor, payload: { currency: of, minimumMinor } }) =>
    setMinimum(trx, { applicationId, changeId, actor, currency: of, minimumMinor: minimumMinor === null ? null : BigInt(minimumMinor) }),
})

const terms = z
  .strictObject({
    bankAccountId: z.uuid(),
    every: z.enum(SCHEDULE_PERIODS),
    weekday: z.int().min(1).max(7).nullable(),
    monthDay: z.int().min(1).max(28).nullable(),
    minute: z.int().min(0).max(1439),
    keepMinor,
  })
  .refine(({ every, weekday, monthDay }) => (weekday !== null) === (every === 'week') && (monthDay !== null) === (every === 'month'))
type Terms = z.output<typeof terms>

/** When everything above an amount is proposed for withdrawal from a balance, in the name of the person who proposes this; null: never. */
const schedule: ChangeKind = defineKind({
  schema: z.strictObject({ operator: z.enum(OPERATOR_CODES), account: z.enum(['collect', 'deposit']), terms: terms.nullable() }),
  subjectOf: ({ operator, account }) => `${operator} ${account}`,
  async read(queryable, applicationId, { operator, account, terms: wanted }) {
    const present = await findSchedule(queryable, { applicationId, operator, account })
    if (!present && wanted === null) return err('no_difference')
    const to = wanted && (await readBankAccount(queryable, applicationId, wanted.bankAccountId))
    if (wanted !== null && (!to || to.isRemoved)) return err('unknown_bank_account')
    if (to && to.currency !== OPERATORS[operator].country.currency) return err('other_currency')
    const from = present && (await readBankAccount(queryable, applicationId, present.bankAccountId))
    const about = { operator, type: account === 'collect' ? 'COLLECT' : 'DEPOSIT' }
    return ok({
      before: {
        ...about,
        ...factsOf(present ? { ...present, keepMinor: String(present.keepMinor) } : null, from ? bankAccountText(from) : null),
      },
      after: { ...about, ...factsOf(wanted, to ? bankAccountText(to) : null) },
    })
  },
  apply: (trx, { applicationId, changeId, actor, proposedBy, payload: { operator, account, terms: wanted } }) =>
    setSchedule(trx, { applicationId, changeId, actor, proposedBy, operator, account, terms: wanted && storedOf(wanted) }),
})

function factsOf(of: Terms | null, bankAccount: string | null): ChangeFacts {
  if (of === null) return { every: null, keepMinor: null, bankAccount }
  return { every: `${of.every} ${of.weekday ?? of.monthDay ?? 0} ${of.minute}`, keepMinor: of.keepMinor, bankAccount }
}

/** The schema has checked which day goes with which period. */
function storedOf({ every, weekday, monthDay, minute, bankAccountId, keepMinor: keep }: Terms): ScheduleTerms {
  const about = { minute, bankAccountId, keepMinor: BigInt(keep) }
  if (weekday !== null) return { ...about, every: 'week', weekday, monthDay: null }
  if (monthDay !== null) return { ...about, every: 'month', weekday: null, monthDay }
  if (every !== 'day') throw new Error('A week has a weekday and a month a day')
  return { ...about, every, weekday: null, monthDay: null }
}

export const TREASURY_KINDS = {
  'bank_account.add': add,
  'bank_account.remove': remove,
  'withdrawal.minimum': minimum,
  'withdrawal.schedule': schedule,
}
