import { type ChangeKindName, isChangeKind } from '#lib/approvals/proposed-change.ts'
import type { Queryable } from '#server/database/pool.ts'
import type { ChangeKind } from './change-kind.ts'
import { isSandbox } from './change-store.ts'
import { ADJUSTMENT_KINDS } from './kinds/adjustment-kinds.ts'
import { APPLICATION_KINDS } from './kinds/application-kinds.ts'
import { BENEFICIARY_KINDS } from './kinds/beneficiary-kinds.ts'
import { BOOK_KINDS } from './kinds/book-kinds.ts'
import { CREDENTIAL_KINDS } from './kinds/credential-kinds.ts'
import { DAY_KINDS } from './kinds/day-kinds.ts'
import { FUNDING_KINDS } from './kinds/funding-kinds.ts'
import { JOURNAL_KINDS } from './kinds/journal-kinds.ts'
import { OPERATOR_KINDS } from './kinds/operator-kinds.ts'
import { PERSON_KINDS } from './kinds/person-kinds.ts'
import { POLICY_KINDS } from './kinds/policy-kinds.ts'
import { REVERSAL_KINDS } from './kinds/reversal-kinds.ts'
import { TREASURY_KINDS } from './kinds/treasury-kinds.ts'
import { WALLET_KINDS } from './kinds/wallet-kinds.ts'

/** Every kind of change that needs two people. */
export const KINDS: Readonly<Record<ChangeKindName, ChangeKind>> = {
  ...PERSON_KINDS,
  ...APPLICATION_KINDS,
  ...POLICY_KINDS,
  ...CREDENTIAL_KINDS,
  ...OPERATOR_KINDS,
  ...FUNDING_KINDS,
  ...TREASURY_KINDS,
  ...ADJUSTMENT_KINDS,
  ...REVERSAL_KINDS,
  ...WALLET_KINDS,
  ...DAY_KINDS,
  ...JOURNAL_KINDS,
  ...BOOK_KINDS,
  ...BENEFICIARY_KINDS,
}

/**
 * Returns the kinds of change that their proposer alone may confirm: those that make a secret, in a sandbox. The secrets of a sandbox guard invented
 * money, and an engineer who tries the service out has no colleague there. Everything else needs two people in a sandbox as well, so that it works as
 * production does.
 */
export async function kindsConfirmedAlone(queryable: Queryable): Promise<ReadonlySet<ChangeKindName>> {
  const secrets = Object.entries(KINDS).flatMap(([name, kind]) => (kind.makesSecret && isChangeKind(name) ? [name] : []))
  return new Set((await isSandbox(queryable)) ? secrets : [])
}
