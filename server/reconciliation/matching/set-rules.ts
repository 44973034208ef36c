import type { MatchingRules } from '#lib/reconciliation/matching-rules.ts'
import { findWallet } from '#lib/reconciliation/wallets.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { runsInstallation } from '#server/applications/terms-store.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import { done, runCommand } from '#server/audit/run-command.ts'
import type { Database, Queryable } from '#server/database/pool.ts'
import { insertMatchingRules, readMatchingRules, type VersionedRules } from './rules-store.ts'

type Failure = 'not_the_installation' | 'unknown_wallet'

/** Reads the present rules of a wallet. */
export async function readRulesChange(
  queryable: Queryable,
  applicationId: string,
  wallet: string,
): Promise<Result<VersionedRules, Failure>> {
  if (!(await runsInstallation(queryable, applicationId))) return err('not_the_installation')
  return findWallet(wallet) ? ok(await readMatchingRules(queryable, applicationId, wallet)) : err('unknown_wallet')
}

/**
 * Sets by which rules lines of a wallet are matched from now on, as a part of the change of two people. What is matched stays so; open lines of the
 * last days are compared again, and one of a signed day counts on the next open day.
 */
export function setMatchingRules(
  database: Database,
  {
    applicationId,
    wallet,
    rules,
    changeId,
    actor,
  }: { applicationId: string; wallet: string; rules: MatchingRules; changeId: string; actor: PersonCommandActor },
): Promise<Result<void, Failure | 'not_permitted'>> {
  return runCommand<void, Failure>(database, { applicationId, actor }, 'wallet:change', async (trx) => {
    const present = await readRulesChange(trx, applicationId, wallet)
    if (!present.ok) return present
    const version = await insertMatchingRules(trx, { applicationId, wallet, rules, changeId, actorId: actor.id })
    const details = { version, before: factsOfRules(present.value), after: factsOfRules(rules) }
    return done({ action: 'matching.rules_changed', subject: wallet, details })
  })
}

/** The rules as both people see them and as the audit record keeps them. */
export function factsOfRules({ beforeHours, afterHours, numberPairs, phoneForms }: MatchingRules): MatchingRules {
  return { beforeHours, afterHours, numberPairs, phoneForms }
}
