import type { Queryable } from '#server/database/pool.ts'

/** Why a deposit that waits to be submitted will never be sent. */
export const UNSENT_CAUSES = ['float', 'collect_corrected'] as const
export type UnsentCause = (typeof UNSENT_CAUSES)[number]

/**
 * Deposits `w` that never left. For float: older than their application lets them wait. Refunds of a doubted collect are postponed by each claim
 * (claim-operator-work.sql) until the doubt is over; a correction of the collect in the books is for good.
 */
const DEPOSITS: Readonly<Record<UnsentCause, string>> = {
  float: `operator_floats f
    join operator_work w on w.operator = f.operator and w.type = 'DEPOSIT' and w.phase = 'queued'
    join applications a on a.application_id = w.application_id
    where f.waits_since is not null and greatest(f.waits_since, w.next_at) <= clock_timestamp() - a.float_wait_hours * interval '1 hour'`,
  collect_corrected: `operator_work w
    join transaction_refunds r on r.application_id = w.application_id and r.transaction_id = w.transaction_id
    where w.type = 'DEPOSIT' and w.phase = 'queued' and exists (select from ledger_postings p
      where p.application_id = r.application_id and p.subject_id = r.collect_id and p.kind in ('reverse', 'late', 'concede'))`,
}
const NEVER_LEFT = 'not may_have_left(w.application_id, w.transaction_id, w.submissions)'

/** Returns the applications that have deposits which will not be sent for this cause. */
export async function findApplicationsWithUnsent(queryable: Queryable, cause: UnsentCause): Promise<string[]> {
  const { rows } = await queryable.query<{ applicationId: string }>(
    `select distinct w.application_id as "applicationId" from ${DEPOSITS[cause]} and ${NEVER_LEFT}`,
  )
  return rows.map((row) => row.applicationId)
}

/** Locks such deposits of one application, at most `limit`, and returns their ids. A row that a claim has locked is on its way, and is left alone. */
export async function lockUnsentDeposits(trx: Queryable, cause: UnsentCause, applicationId: string, limit: number): Promise<string[]> {
  const { rows } = await trx.query<{ transactionId: string }>(
    `select w.transaction_id as "transactionId" from ${DEPOSITS[cause]} and ${NEVER_LEFT} and w.application_id = $1
      order by w.application_id, w.transaction_id limit $2 for update of w skip locked`,
    [applicationId, limit],
  )
  return rows.map((row) => row.transactionId)
}
