import { DEFAULT_RULES, type MatchingRules } from '#lib/reconciliation/matching-rules.ts'
import type { Queryable, TrxClient } from '#server/database/pool.ts'

export type VersionedRules = MatchingRules & { version: number }

/** The rules of a wallet that are valid now. */
export async function readMatchingRules(queryable: Queryable, applicationId: string, wallet: string): Promise<VersionedRules> {
  const { rows } = await queryable.query<VersionedRules>(
    `select version, before_hours as "beforeHours", after_hours as "afterHours", pairs as "numberPairs", phone_forms as "phoneForms" from matching_rules
      where application_id = $1 and wallet = $2 order by version desc limit 1`,
    [applicationId, wallet],
  )
  return rows[0] ?? DEFAULT_RULES
}

/** Stores the next version of a wallet's rules and returns its number. */
export async function insertMatchingRules(
  trx: TrxClient,
  {
    applicationId,
    wallet,
    rules,
    changeId,
    actorId,
  }: { applicationId: string; wallet: string; rules: MatchingRules; changeId: string; actorId: string },
): Promise<number> {
  const { rows } = await trx.query<{ version: number }>(
    `insert into matching_rules (application_id, wallet, version, before_hours, after_hours, pairs, phone_forms, change_id, confirmed_by)
       select $1, $2, coalesce(max(version), $3) + 1, $4, $5, $6, $7, $8, $9 from matching_rules where application_id = $1 and wallet = $2
     returning version`,
    [
      applicationId,
      wallet,
      DEFAULT_RULES.version,
      rules.beforeHours,
      rules.afterHours,
      rules.numberPairs,
      rules.phoneForms,
      changeId,
      actorId,
    ],
  )
  const [row] = rows
  if (!row) throw new Error('An insert of one row returns it')
  return row.version
}
