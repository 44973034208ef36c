import { bankAccountText as inOneLine } from '#lib/finance/treasury-dto.ts'
import { maskBankNumber } from '#lib/money/bank-number.ts'
import type { Currency } from '#lib/money/money.ts'
import { err, type Result } from '#lib/result.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import { done, runCommand } from '#server/audit/run-command.ts'
import type { Database } from '#server/database/pool.ts'
import {
  type Balance,
  type BankAccount,
  insertBankAccount,
  listSchedules,
  readBankAccount,
  removeAccount,
  type ScheduleTerms,
  storeMinimum,
  storeSchedule,
} from './bank-store.ts'

type By = { applicationId: string; actor: PersonCommandActor; changeId: string }

/** A bank account in one line, without its whole number. */
export function bankAccountText({ bank, holder, number }: Pick<BankAccount, 'bank' | 'holder' | 'number'>): string {
  return inOneLine({ bank, holder, maskedNumber: maskBankNumber(number) })
}

/** Adds a bank account that two people agreed on; its id is that of their change. A part of the transaction of that change. */
export function addBankAccount(
  database: Database,
  { applicationId, actor, changeId, account }: By & { account: Omit<BankAccount, 'bankAccountId' | 'isRemoved'> },
): Promise<Result<void, 'not_permitted' | 'bank_account_exists'>> {
  return runCommand<void, 'bank_account_exists'>(database, { applicationId, actor }, 'funding:decide', async (trx) => {
    const row = { ...account, applicationId, bankAccountId: changeId, addedBy: actor.id }
    if (!(await insertBankAccount(trx, row))) return err('bank_account_exists')
    return done({
      action: 'bank_account.added',
      subject: changeId,
      details: { account: bankAccountText(account), currency: account.currency },
    })
  })
}

/**
 * Removes a bank account. Withdrawals to it that still wait cannot be confirmed any longer, and a schedule that leads to it has to be changed first
 * (`bank_account_scheduled`).
 */
export function removeBankAccount(
  database: Database,
  { applicationId, actor, bankAccountId }: By & { bankAccountId: string },
): Promise<Result<void, 'not_permitted' | 'unknown_bank_account' | 'bank_account_scheduled'>> {
  return runCommand<void, 'unknown_bank_account' | 'bank_account_scheduled'>(
    database,
    { applicationId, actor },
    'funding:decide',
    async (trx) => {
      const account = await readBankAccount(trx, applicationId, bankAccountId)
      if ((await listSchedules(trx, applicationId)).some((each) => each.bankAccountId === bankAccountId))
        return err('bank_account_scheduled')
      if (!account || !(await removeAccount(trx, applicationId, bankAccountId, actor.id))) return err('unknown_bank_account')
      return done({ action: 'bank_account.removed', subject: bankAccountId, details: { account: bankAccountText(account) } })
    },
  )
}

/** Sets the smallest withdrawal in a currency, in hundredths; null: any amount. */
export function setMinimum(
  database: Database,
  { applicationId, actor, currency, minimumMinor }: By & { currency: Currency; minimumMinor: bigint | null },
): Promise<Result<void, 'not_permitted'>> {
  return runCommand<void, never>(database, { applicationId, actor }, 'funding:decide', async (trx) => {
    await storeMinimum(trx, { applicationId, currency, minimumMinor, changedBy: actor.id })
    const details = { minimumMinor: minimumMinor === null ? null : String(minimumMinor) }
    return done({ action: 'withdrawal.minimum_set', subject: currency, details })
  })
}

type Scheduled = Balance & By & { proposedBy: string; terms: ScheduleTerms | null }

/** Sets when everything above an amount is proposed for withdrawal from a balance; null: never. */
export function setSchedule(
  database: Database,
  { actor, proposedBy, terms, ...balance }: Scheduled,
): Promise<Result<void, 'not_permitted'>> {
  const { applicationId, operator, account } = balance
  return runCommand<void, never>(database, { applicationId, actor }, 'funding:decide', async (trx) => {
    await storeSchedule(trx, balance, terms && { ...terms, proposedBy, confirmedBy: actor.id })
    const details = terms && { ...terms, keepMinor: String(terms.keepMinor) }
    return done({ action: 'withdrawal.schedule_set', subject: `${operator} ${account}`, details: { terms: details } })
  })
}
