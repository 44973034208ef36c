import { err, type Result } from '#lib/result.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import { done, runCommand } from '#server/audit/run-command.ts'
import type { Pool } from '#server/database/pool.ts'
import { announceClose } from '../close-revision-store.ts'
import { findLastMatchEvent, insertMatchedDays } from '../exceptions/examine-store.ts'
import { deleteMatch, insertByHand, lockLine } from './match-by-hand-store.ts'

type ByHand = { applicationId: string; actor: PersonCommandActor; lineId: bigint; note: string }

/**
 * Says which transaction a line belongs to, with one note. `no_transaction`: there is none with this id that fits operator and direction.
 * `taken`: it has a line already, or the line has a transaction.
 */
export function matchByHand(
  pool: Pool,
  { applicationId, actor, lineId, transactionId, note }: ByHand & { transactionId: string },
): Promise<Result<void, 'not_permitted' | 'not_found' | 'no_transaction' | 'taken'>> {
  return runCommand<void, 'not_found' | 'no_transaction' | 'taken'>(pool, { applicationId, actor }, 'reconciliation:work', async (trx) => {
    const line = await lockLine(trx, applicationId, lineId)
    if (!line) return err('not_found')
    const before = await findLastMatchEvent(trx, applicationId)
    const matched = await insertByHand(trx, { applicationId, lineId, transactionId, personId: actor.id, note })
    if (matched !== 'matched') return err(matched)
    await insertMatchedDays(trx, { applicationId, wallet: line.wallet, afterEvent: before })
    await announceClose(trx, applicationId)
    return done({ action: 'line.matched', subject: transactionId, details: { line: String(lineId), wallet: line.wallet, note } })
  })
}

/** Takes a match back. It stays in the history, with who undid it and why. `day_signed`: it was signed with its day. */
export function undoMatch(
  pool: Pool,
  { applicationId, actor, lineId, note }: ByHand,
): Promise<Result<void, 'not_permitted' | 'not_found' | 'day_signed'>> {
  return runCommand<void, 'not_found' | 'day_signed'>(pool, { applicationId, actor }, 'reconciliation:work', async (trx) => {
    const line = await lockLine(trx, applicationId, lineId)
    if (line?.isSigned) return err('day_signed')
    const before = await findLastMatchEvent(trx, applicationId)
    if (!line || !(await deleteMatch(trx, { applicationId, lineId, personId: actor.id, note }))) return err('not_found')
    await insertMatchedDays(trx, { applicationId, wallet: line.wallet, afterEvent: before })
    await announceClose(trx, applicationId)
    return done({ action: 'line.match_undone', subject: String(lineId), details: { wallet: line.wallet, note } })
  })
}
