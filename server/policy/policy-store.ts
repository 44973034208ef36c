import type { Queryable } from '#server/database/pool.ts'

export type PolicyRow = {
  version: number
  rules: unknown
  proposedBy: string | null
  proposedAt: Date
  activatedBy: string | null
  activatedAt: Date | null
}

/** Inserts the next version, which is not active yet. Returns its number. */
export async function insertPolicy(trx: Queryable, applicationId: string, rules: unknown, proposedBy: string | null): Promise<number> {
  const { rows } = await trx.query<{ version: number }>(
    `insert into approval_policies (application_id, version, rules, proposed_by)
       select $1, coalesce(max(version), 0) + 1, $2::jsonb, $3 from approval_policies where application_id = $1 returning version`,
    [applicationId, JSON.stringify(rules), proposedBy],
  )
  const row = rows[0]
  if (!row) throw new Error('The policy was not inserted')
  return row.version
}

/** Returns the newest `limit` versions, newest first. */
export async function readPolicies(queryable: Queryable, applicationId: string, limit: number): Promise<PolicyRow[]> {
  const { rows } = await queryable.query<{
    version: number
    rules: unknown
    proposed_by: string | null
    proposed_at: Date
    activated_by: string | null
    activated_at: Date | null
  }>('select * from approval_policies where application_id = $1 order by version desc limit $2', [applicationId, limit])
  return rows.map((row) => ({
    version: row.version,
    rules: row.rules,
    proposedBy: row.proposed_by,
    proposedAt: row.proposed_at,
    activatedBy: row.activated_by,
    activatedAt: row.activated_at,
  }))
}

/** Returns one version, and the number of the active version (0 if there is none). */
export async function readPolicy(
  queryable: Queryable,
  applicationId: string,
  version: number,
): Promise<{ policy: PolicyRow | undefined; activeVersion: number }> {
  const { rows } = await queryable.query<{
    version: number
    rules: unknown
    proposed_by: string | null
    proposed_at: Date
    activated_by: string | null
    activated_at: Date | null
    active_version: number
  }>(
    `select p.*, coalesce((select max(a.version) from approval_policies a
              where a.application_id = $1 and a.activated_at is not null), 0) as active_version
       from approval_policies p where p.application_id = $1 and p.version = $2`,
    [applicationId, version],
  )
  const row = rows[0]
  if (!row) return { policy: undefined, activeVersion: 0 }
  const policy = {
    version: row.version,
    rules: row.rules,
    proposedBy: row.proposed_by,
    proposedAt: row.proposed_at,
    activatedBy: row.activated_by,
    activatedAt: row.activated_at,
  }
  return { policy, activeVersion: row.active_version }
}

/** Marks a version as active. */
export async function markActivated(trx: Queryable, applicationId: string, version: number, activatedBy: string | null): Promise<void> {
  await trx.query(
    `update approval_policies set activated_by = $3, activated_at = now()
       where application_id = $1 and version = $2 and activated_at is null`,
    [applicationId, version, activatedBy],
  )
}

export type NamedPolicyRow = PolicyRow & { proposerName: string | null; activatorName: string | null }

/** Returns versions with the names of their authors, newest first, and the number of the active version (0 if there is none). */
export async function readNamedPolicies(
  queryable: Queryable,
  applicationId: string,
  { version = null, countMax }: { version?: number | null; countMax: number },
): Promise<{ rows: NamedPolicyRow[]; activeVersion: number }> {
  const { rows } = await queryable.query<NamedPolicyRow & { activeVersion: number }>(
    `select p.version, p.rules, p.proposed_by as "proposedBy", p.proposed_at as "proposedAt", p.activated_by as "activatedBy",
            p.activated_at as "activatedAt", a.name as "proposerName", b.name as "activatorName",
            (select coalesce(max(x.version), 0) from approval_policies x
              where x.application_id = $1 and x.activated_at is not null)::integer as "activeVersion"
       from approval_policies p left join people a on a.person_id = p.proposed_by left join people b on b.person_id = p.activated_by
      where p.application_id = $1 and ($2::integer is null or p.version = $2) order by p.version desc limit $3`,
    [applicationId, version, countMax],
  )
  return { rows, activeVersion: rows[0]?.activeVersion ?? 0 }
}
