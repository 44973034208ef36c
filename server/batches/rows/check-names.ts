import { OPERATOR_CODES } from '#lib/operators/operators.ts'
import { err, type Result } from '#lib/result.ts'
import type { AccountChecks } from '#server/account-checks/check-account.ts'
import { done } from '#server/audit/run-command.ts'
import type { Pool } from '#server/database/pool.ts'
import { type ChangeCommand, type ChangeFailure, runBatchCommand } from '../change-batch.ts'
import {
  endNameCheck,
  listOpenNameChecks,
  type NameCheckEnding,
  type OpenNameCheck,
  openNameCheck,
  selectUncheckedAccounts,
} from './name-check-store.ts'

/** Of one file in a turn, and there is one each minute: the limit of an operator is left to people who wait for an answer. */
const TURN_MAX = 10
/** Files in a turn. */
const FILES_MAX = 50

/**
 * Has the accounts of a batch checked in the background, as checks of this person and within a budget of the file. The rows stay as they are: what an
 * operator says is shown beside them for 24 hours and blocks nothing.
 */
export async function askForNames(pool: Pool, command: ChangeCommand): Promise<Result<null, ChangeFailure | 'in_progress'>> {
  return runBatchCommand<null, 'in_progress'>(pool, command, ['draft'], async (trx, batch) => {
    if (!(await openNameCheck(trx, batch, command.actor.id))) return err('in_progress')
    return done({ action: 'batch.names_asked', subject: batch.batchId }, null)
  })
}

type CheckNamesDeps = { pool: Pool; accountChecks: AccountChecks }

/** Takes a turn for each file whose accounts somebody wants to have checked, the oldest wish first. */
export async function checkNames({ pool, accountChecks }: CheckNamesDeps, isEnding: () => boolean): Promise<void> {
  for (const wish of await listOpenNameChecks(pool, FILES_MAX)) {
    if (isEnding()) return
    const ending = wish.isWanted ? await takeTurn({ pool, accountChecks }, wish, isEnding) : 'stopped'
    if (ending) await endNameCheck(pool, wish, ending)
  }
}

/** Returns how the checks of this file have ended; undefined if the next turn continues them. */
async function takeTurn(
  { pool, accountChecks }: CheckNamesDeps,
  wish: OpenNameCheck,
  isEnding: () => boolean,
): Promise<NameCheckEnding | undefined> {
  const operators = OPERATOR_CODES.filter((operator) => accountChecks.offers(operator))
  const accounts = await selectUncheckedAccounts(pool, wish, { operators, limit: TURN_MAX })
  for (const account of accounts) {
    if (isEnding()) return undefined
    const { applicationId, batchId } = wish
    const checked = await accountChecks.check({ ...account, applicationId, asker: { kind: 'person', id: wish.askedBy }, batchId })
    if (!checked.ok) return checked.error.code === 'busy' ? undefined : 'limited'
  }
  return accounts.length < TURN_MAX ? 'complete' : undefined
}
