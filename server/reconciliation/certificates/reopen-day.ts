import { err, ok, type Result } from '#lib/result.ts'
import { runsInstallation } from '#server/applications/terms-store.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import { done, runCommand } from '#server/audit/run-command.ts'
import type { Database, Queryable } from '#server/database/pool.ts'
import { countLaterDays, lockDays, readCertificate, updateReopened } from './certificate-store.ts'

type OneDay = { applicationId: string; wallet: string; day: string }
type Failure = 'not_the_installation' | 'not_signed'

/** Reads what a signed day is and how many later days would have to be signed again. */
export async function readReopening(
  queryable: Queryable,
  { applicationId, wallet, day }: OneDay,
): Promise<Result<{ version: number; laterDays: number }, Failure>> {
  if (!(await runsInstallation(queryable, applicationId))) return err('not_the_installation')
  const found = await readCertificate(queryable, { applicationId, wallet, day })
  const signed =
    found?.state === 'prepared' ? await readCertificate(queryable, { applicationId, wallet, day, version: found.version - 1 }) : found
  if (signed?.state !== 'signed' && signed?.state !== 'to_be_signed_again') return err('not_signed')
  return ok({ version: signed.version, laterDays: await countLaterDays(queryable, applicationId, wallet, day) })
}

/**
 * Opens a signed day again, as a part of the change of two administrators. Its certificate stays; the next one is a new version. Later days keep
 * their figures and their protection, and have to be signed again, because their certificates name the one before.
 */
export function reopenDay(
  database: Database,
  { reason, changeId, actor, ...one }: OneDay & { reason: string; changeId: string; actor: PersonCommandActor },
): Promise<Result<void, Failure | 'not_permitted'>> {
  const { applicationId, wallet, day } = one
  return runCommand<void, Failure>(database, { applicationId, actor }, 'day:reopen', async (trx) => {
    await lockDays(trx, applicationId, wallet)
    const present = await readReopening(trx, one)
    if (!present.ok) return present
    await updateReopened(trx, { applicationId, wallet, day, changeId })
    return done({ action: 'day.reopened', subject: `${wallet} ${day}`, details: { ...present.value, reason } })
  })
}
