import type { TrxClient } from '#server/database/pool.ts'

/**
 * Makes open pages of the installation read the close of day again once this transaction is committed. The last that a transaction does before its audit
 * entry: the row is held until the commit, and everybody who works on statements and exceptions writes it.
 */
export async function announceClose(trx: TrxClient, applicationId: string): Promise<void> {
  await trx.query(
    `insert into close_revisions as r (application_id, change_number) values ($1, 1)
     on conflict (application_id) do update set change_number = r.change_number + 1`,
    [applicationId],
  )
}
