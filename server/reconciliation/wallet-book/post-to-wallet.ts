import type { PersonPosting } from '#lib/reconciliation/days.ts'
import { findWallet } from '#lib/reconciliation/wallets.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { runsInstallation } from '#server/applications/terms-store.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import { done, runCommand } from '#server/audit/run-command.ts'
import type { Database, Queryable } from '#server/database/pool.ts'
import { closeAdjusted } from '../exceptions/work-on-exception.ts'
import { lockLine } from '../matching/match-by-hand-store.ts'
import { lockTransfers } from '../matching/transfer-store.ts'
import { type BookLine, insertPosting, lockDaysShared, readBookLine } from './wallet-book-store.ts'

type Refusal = 'not_the_installation' | 'unknown_line' | 'does_not_fit' | 'already_posted'
type About = { applicationId: string; kind: PersonPosting; lineId: bigint }

/** Which lines each posting is about; a line that nobody knows enters suspense once, and leaves it once its transaction is found. */
const FITS: Record<PersonPosting, (line: BookLine) => boolean> = {
  unmatched: ({ kind, payment }) => kind === 'payment' && payment !== 'first',
  release: ({ posted }) => posted.includes('unmatched'),
  // The move of a pair, or its own postings, are in the books already.
  transfer: ({ kind, isPaired }) => kind === 'transfer' && !isPaired,
  loss: ({ kind, payment, posted }) =>
    kind === 'other' || kind === 'reversal' || (kind === 'payment' && payment !== 'first') || posted.includes('release'),
}

/** Reads the line of a posting and how much it would move into the wallet. `does_not_fit`: the line is none of this kind. */
export async function readPosting(
  queryable: Queryable,
  { applicationId, kind, lineId }: About,
): Promise<Result<{ line: BookLine; amountMinor: bigint }, Refusal>> {
  if (!(await runsInstallation(queryable, applicationId))) return err('not_the_installation')
  const line = await readBookLine(queryable, applicationId, lineId)
  if (!line) return err('unknown_line')
  const isOut = line.posted.includes('release')
  const others = line.posted.filter((each) => each !== 'release' && !(each === 'unmatched' && (kind === 'release' || isOut)))
  if (line.posted.includes(kind) || others.length > 0) return err('already_posted')
  if (line.grossMinor === 0n || !FITS[kind](line)) return err('does_not_fit')
  return ok({ line, amountMinor: kind === 'release' ? -line.grossMinor : line.grossMinor })
}

/**
 * Posts in the wallet book what two people agreed on about a line, on the day of the line or, if that is signed, on the next open day. A part of the
 * transaction of their change.
 */
export function postToWallet(
  database: Database,
  { actor, changeId, evidence, ...about }: About & { actor: PersonCommandActor; changeId: string; evidence: string },
): Promise<Result<void, Refusal | 'not_permitted'>> {
  const { applicationId, kind, lineId } = about
  return runCommand<void, Refusal>(database, { applicationId, actor }, 'adjustment:decide', async (trx) => {
    const line = await readBookLine(trx, applicationId, lineId)
    if (!line) return err('unknown_line')
    // The line's matches and the signed days stay as they are read now until the posting is stored.
    await lockLine(trx, applicationId, lineId)
    await lockDaysShared(trx, applicationId, line.wallet)
    if (kind === 'transfer') await lockTransfers(trx, applicationId, findWallet(line.wallet)?.operator ?? line.wallet)
    const present = await readPosting(trx, about)
    if (!present.ok) return present
    const { wallet, day, originDay } = present.value.line
    const { amountMinor } = present.value
    const posting = { applicationId, wallet, kind, day, originDay, lineId, amountMinor, changeId, actorId: actor.id, reason: evidence }
    if (!(await insertPosting(trx, posting))) return err('already_posted')
    if (kind === 'loss') await closeAdjusted(trx, { applicationId, actor, subject: `line ${lineId}`, changeId })
    const details = { kind, line: String(lineId), day, amountMinor: String(amountMinor), evidence, changeId }
    return done({ action: 'wallet.posted', subject: wallet, details })
  })
}
