import { DEFAULT_CODES, JOURNAL_ACCOUNT_NAMES, type JournalCodes, journalCodesSchema } from '#lib/reconciliation/journal.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { runsInstallation } from '#server/applications/terms-store.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import { done, runCommand } from '#server/audit/run-command.ts'
import { lockCounters } from '#server/database/application-locks.ts'
import type { Database, Queryable } from '#server/database/pool.ts'
import { insertMapping, listMappings } from './journal-store.ts'

export type VersionedCodes = { version: number; codes: JournalCodes }

/** Every version of the accounts, the defaults first. */
export async function readCodeVersions(queryable: Queryable, applicationId: string): Promise<VersionedCodes[]> {
  const stored = await listMappings(queryable, applicationId)
  return [
    { version: 0, codes: DEFAULT_CODES },
    ...stored.map(({ version, codes }) => ({ version, codes: journalCodesSchema.parse(codes) })),
  ]
}

/** The accounts that are valid now. */
export async function readCodes(queryable: Queryable, applicationId: string): Promise<VersionedCodes> {
  return (await readCodeVersions(queryable, applicationId)).at(-1) ?? { version: 0, codes: DEFAULT_CODES }
}

type Failure = 'not_the_installation'

/** Reads the present accounts of an installation. */
export async function readCodesChange(queryable: Queryable, applicationId: string): Promise<Result<JournalCodes, Failure>> {
  if (!(await runsInstallation(queryable, applicationId))) return err('not_the_installation')
  return ok((await readCodes(queryable, applicationId)).codes)
}

/** Sets the accounts with which days are booked that are signed from now on, as a part of the change of two people. Numbered entries keep theirs. */
export function setJournalCodes(
  database: Database,
  { applicationId, codes, changeId, actor }: { applicationId: string; codes: JournalCodes; changeId: string; actor: PersonCommandActor },
): Promise<Result<void, Failure | 'not_permitted'>> {
  return runCommand<void, Failure>(database, { applicationId, actor }, 'accounting:change', async (trx) => {
    // A day that is signed at the same moment is booked before or after, with one version of all accounts.
    await lockCounters(trx, applicationId)
    const present = await readCodesChange(trx, applicationId)
    if (!present.ok) return present
    const version = await insertMapping(trx, { applicationId, codes, changeId, actorId: actor.id })
    const details = { version, before: factsOfCodes(present.value), after: factsOfCodes(codes) }
    return done({ action: 'journal.accounts_changed', subject: `version ${version}`, details })
  })
}

/** The accounts as both people see them and as the audit record keeps them. */
export function factsOfCodes({ journal, accounts, wallets }: JournalCodes): Record<string, string> {
  return {
    journal_code: journal,
    ...Object.fromEntries(JOURNAL_ACCOUNT_NAMES.map((account) => [`journal_${account}`, accounts[account]])),
    journal_wallets: Object.entries(wallets)
      .map(([wallet, code]) => `${wallet}: ${code}`)
      .toSorted()
      .join(', '),
  }
}
