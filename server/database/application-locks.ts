import type { Queryable } from './pool.ts'

/**
 * Holds the row of an application until the transaction ends, so that changes of its settings, keys, rules and people come one after the
 * other. Returns false if there is no such application.
 */
export async function lockApplication(trx: Queryable, applicationId: string): Promise<boolean> {
  const { rowCount } = await trx.query('select 1 from applications where application_id = $1 for no key update', [applicationId])
  return rowCount === 1
}

/**
 * Holds the counters of an application until the transaction ends: the lock that orders everything that happens to its money. Everything
 * that moves one of its transactions takes it first. Returns false if there is no such application.
 */
export async function lockCounters(trx: Queryable, applicationId: string): Promise<boolean> {
  const { rowCount } = await trx.query('select 1 from application_counters where application_id = $1 for no key update', [applicationId])
  return rowCount === 1
}
