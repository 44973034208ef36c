import type { Queryable } from '#server/database/pool.ts'
import type { ApplicationRow } from './application-row.ts'

type ChangedApplications = { oldestUnseenXid: string; changed: { applicationId: string; xid: string }[] }

/**
 * Returns the applications that changed in any transaction from `sinceXid` on, and the oldest transaction that this refresh
 * could not see yet, where the next one starts. Both are from one snapshot, so that no change is missed in between.
 */
export async function readChangedApplications(queryable: Queryable, sinceXid: string): Promise<ChangedApplications> {
  const { rows } = await queryable.query<{ xmin: string; application_id: string | null; changed_xid: string | null }>(
    `select pg_snapshot_xmin(pg_current_snapshot())::text as xmin, v.application_id, v.changed_xid::text as changed_xid
       from (select 1) one left join application_versions v on v.changed_xid >= $1::xid8`,
    [sinceXid],
  )
  const first = rows[0]
  if (!first) throw new Error('The database did not return its oldest transaction')
  const changed = rows.flatMap((row) =>
    row.application_id !== null && row.changed_xid !== null ? [{ applicationId: row.application_id, xid: row.changed_xid }] : [],
  )
  return { oldestUnseenXid: first.xmin, changed }
}

/** Reads whole applications in one statement, so that each is seen at one instant. Ids that are gone are left out. */
export async function readApplications(queryable: Queryable, applicationIds: readonly string[]): Promise<ApplicationRow[]> {
  const { rows } = await queryable.query<ApplicationRow>(
    `select a.application_id, a.name, a.api_id, a.is_enabled, a.requires_second_factor, a.copies_webhook_status, a.default_webhook_url,
       a.webhook_networks::text[] as webhook_networks,
       coalesce((select json_agg(json_build_object('id', k.api_key_id, 'prefix', k.key_prefix, 'hash', encode(k.key_hash, 'hex'), 'expiresAt', k.expires_at, 'revokedAt', k.revoked_at))
         from api_keys k where k.application_id = a.application_id and k.revoked_at is null
           and (k.expires_at is null or k.expires_at > now())), '[]') as keys,
       coalesce((select json_agg(json_build_object('id', u.api_user_id, 'epoch', u.token_epoch, 'isBlocked', u.is_blocked))
         from api_users u where u.application_id = a.application_id), '[]') as api_users,
       coalesce((select json_agg(n.network order by n.network) from ip_allow_entries n
         where n.application_id = a.application_id), '[]') as networks,
       coalesce((select json_agg(json_build_object('key', s.operator || ':' || s.type, 'isEnabled', s.is_enabled,
           'enforcesLimits', s.enforces_limits, 'minimumMinor', s.minimum_minor::text, 'maximumMinor', s.maximum_minor::text))
         from transfer_services s where s.application_id = a.application_id), '[]') as services,
       coalesce((select json_agg(json_build_object('key', f.operator || ':' || f.type, 'systemRatePpm', f.system_rate_ppm,
           'systemFixedMinor', f.system_fixed_minor::text, 'appRatePpm', f.app_rate_ppm, 'appFixedMinor', f.app_fixed_minor::text))
         from fee_schedules f where f.application_id = a.application_id), '[]') as fees,
       (select json_build_object('version', p.version, 'rules', p.rules) from approval_policies p
         where p.application_id = a.application_id and p.activated_at is not null order by p.version desc limit 1) as policy,
       coalesce((select json_agg(json_build_object('id', w.webhook_secret_id, 'secret', w.secret, 'createdAt', w.created_at, 'expiresAt', w.expires_at)
           order by w.created_at desc, w.webhook_secret_id) from webhook_secrets w
         where w.application_id = a.application_id and (w.expires_at is null or w.expires_at > now())), '[]') as webhook_secrets
     from applications a where a.application_id = any ($1::uuid[])`,
    [applicationIds],
  )
  return rows
}
