import { randomUUID } from 'node:crypto'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { postAdjustment } from '#server/ledger/adjustments.ts'
import { findTransaction } from '#server/transactions/transaction-store.ts'
import { makePerson } from './factories.ts'
import { must } from './partner.ts'

type Subject = { applicationId: string; transactionId: string }

/** Proposes the reversal of a collect in the books, or its late booking, and confirms it where a second person is named. Returns the id of the change. */
export async function proposeReversal(
  pool: Pool,
  { applicationId, transactionId }: Subject,
  confirmedBy: string | null = null,
  kind: 'reverse' | 'late' = 'reverse',
): Promise<string> {
  const changeId = randomUUID()
  await pool.query(
    `insert into proposed_changes (application_id, change_id, kind, subject, payload, before, after, proposed_by, expires_at, outcome, decided_by, decided_at)
     values ($1, $2, $8, $3, $4, '{}', '{}', $5, now() + interval '7 days', $6, $7, case when $6::text is not null then now() end)`,
    [
      applicationId,
      changeId,
      `${applicationId} ${transactionId}`,
      { ledger: applicationId, transactionId, evidence: 'test', note: '' },
      await makePerson(pool, applicationId, ['finance']),
      confirmedBy && 'confirmed',
      confirmedBy,
      `adjustment.${kind}`,
    ],
  )
  return changeId
}

/** Books the reversal of a collect of 5,000 XAF at MTN Cameroon with fees of 75 XAF. */
export async function reverseCollect(pool: Pool, subject: Subject, confirmedBy: string): Promise<void> {
  const { applicationId, transactionId } = subject
  const row = { applicationId, subjectId: transactionId, kind: 'reverse', operator: 'MOMOCM', currency: 'XAF', type: 'COLLECT' } as const
  const amounts = { amountMinor: 500_000n, feeSystemMinor: 5_000n, feeAppMinor: 2_500n }
  const changeId = await proposeReversal(pool, subject, confirmedBy)
  const posted = await withTransaction(pool, (trx) =>
    postAdjustment(trx, { ...row, ...amounts, actorId: confirmedBy, reason: 'test', change: { applicationId, changeId } }),
  )
  must(posted)
}

/** Books a payment that FAILED as paid all the same, with its amount and fees. */
export function bookLate(pool: Pool, subject: Subject, confirmedBy: string): Promise<void> {
  return bookCorrection(pool, subject, confirmedBy, 'late')
}

/** Books the reversal of a payment, with its amount and fees. */
export function bookReversal(pool: Pool, subject: Subject, confirmedBy: string): Promise<void> {
  return bookCorrection(pool, subject, confirmedBy, 'reverse')
}

async function bookCorrection(pool: Pool, subject: Subject, confirmedBy: string, kind: 'late' | 'reverse'): Promise<void> {
  const { applicationId, transactionId } = subject
  const changeId = await proposeReversal(pool, subject, confirmedBy, kind)
  const payment = await findTransaction(pool, applicationId, transactionId)
  if (!payment) throw new Error('There is no such payment')
  const { operator, currency, type, amountMinor, feeSystemMinor, feeAppMinor } = payment
  const posting = { applicationId, subjectId: transactionId, kind, operator, currency, type }
  const amounts = { amountMinor, feeSystemMinor, feeAppMinor }
  const why = { actorId: confirmedBy, reason: 'test', change: { applicationId, changeId } }
  must(await withTransaction(pool, (trx) => postAdjustment(trx, { ...posting, ...amounts, ...why })))
}
