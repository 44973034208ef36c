import { bankPlace } from '#lib/finance/treasury-dto.ts'
import type { Currency } from '#lib/money/money.ts'
import { OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import { findWallet } from '#lib/reconciliation/wallets.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { runsInstallation } from '#server/applications/terms-store.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import { done, runCommand } from '#server/audit/run-command.ts'
import type { Database, Queryable } from '#server/database/pool.ts'
import { listBankAccounts } from './bank-store.ts'
import { bankAccountText } from './treasury-terms.ts'

export type Plan = { from: string; to: string; amountMinor: string; reference: string }
type Refusal = 'not_the_installation' | 'unknown_bank_account' | 'same_place' | 'other_currency'
/** Each end as people know it: the id of a wallet, or a bank account in one line. */
type Ends = { from: string; to: string; operator: OperatorCode; currency: Currency }

/**
 * Reads the ends of an own transfer: two accounts of the installation in one currency, of which at least one is at an operator. A removed bank account
 * is unknown.
 */
export async function readPlan(queryable: Queryable, applicationId: string, plan: Plan): Promise<Result<Ends, Refusal>> {
  if (!(await runsInstallation(queryable, applicationId))) return err('not_the_installation')
  const accounts = await listBankAccounts(queryable, applicationId)
  const ends = [plan.from, plan.to].map((place) => {
    const operator = findWallet(place)?.operator
    if (operator) return { text: place, operator, currency: OPERATORS[operator].country.currency }
    const account = accounts.find(({ bankAccountId }) => bankPlace(bankAccountId) === place)
    return account && { text: bankAccountText(account), operator: undefined, currency: account.currency }
  })
  const [from, to] = ends
  if (!from || !to) return err('unknown_bank_account')
  const operator = from.operator ?? to.operator
  if (plan.from === plan.to || !operator) return err('same_place')
  if (from.currency !== to.currency) return err('other_currency')
  return ok({ from: from.text, to: to.text, operator, currency: from.currency })
}

/**
 * Records that two people agreed on an own transfer. It posts nothing: the wallet book follows from the lines of the operators, when they arrive. A part
 * of the transaction of the change.
 */
export function planTransfer(
  database: Database,
  { applicationId, actor, changeId, plan }: { applicationId: string; actor: PersonCommandActor; changeId: string; plan: Plan },
): Promise<Result<void, Refusal | 'not_permitted'>> {
  return runCommand<void, Refusal>(database, { applicationId, actor }, 'adjustment:decide', async (trx) => {
    const ends = await readPlan(trx, applicationId, plan)
    if (!ends.ok) return ends
    const { from, to, currency } = ends.value
    const { amountMinor, reference } = plan
    return done({ action: 'transfer.planned', subject: changeId, details: { from, to, currency, amountMinor, reference } })
  })
}
