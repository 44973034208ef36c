import type { FeeSchedule, RefundFeesFrom } from '#lib/money/fees.ts'
import type { CountryName, OperatorCode } from '#lib/operators/operators.ts'
import type { ApiScope } from '#lib/partner/api-scopes.ts'
import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import type { UtcDay } from '#lib/time/time.ts'
import type { Queryable } from '#server/database/pool.ts'
import { keyringOfProcess } from '#server/secrets-at-rest/keyring.ts'
import { webhookSecretPlace } from '#server/secrets-at-rest/sealed-columns.ts'
import type { ApplicationRow } from './application-row.ts'
import type { TransferService } from './snapshot.ts'

type NewApplication = {
  applicationId: string
  name: string
  apiId: string
  requiresSecondFactor: boolean
  copiesWebhookStatus: boolean
  timeZone: string
}

/** Stores a new application, with its counters and its thirteen balances at zero. */
export async function insertApplication(
  trx: Queryable,
  application: NewApplication,
  books: readonly { operator: string; currency: string }[],
): Promise<void> {
  const { applicationId, name, apiId, requiresSecondFactor, copiesWebhookStatus, timeZone } = application
  await trx.query(
    `insert into applications (application_id, name, api_id, requires_second_factor, copies_webhook_status, time_zone)
       values ($1, $2, $3, $4, $5, $6)`,
    [applicationId, name, apiId, requiresSecondFactor, copiesWebhookStatus, timeZone],
  )
  // There is nothing to count yet.
  if (timeZone !== 'UTC')
    await trx.query('insert into day_zones (application_id, time_zone, counted_from, is_ledger_counted) values ($1, $2, 1, true)', [
      applicationId,
      timeZone,
    ])
  await trx.query('insert into application_counters (application_id) values ($1)', [applicationId])
  await trx.query(
    `insert into ledger_balances (application_id, operator, currency)
       select $1, b.operator, b.currency from unnest($2::text[], $3::text[]) as b (operator, currency)`,
    [applicationId, books.map((book) => book.operator), books.map((book) => book.currency)],
  )
}

/** Stores the first policy of a new application: version 1, active. */
export async function insertFirstPolicy(trx: Queryable, applicationId: string, rules: unknown): Promise<void> {
  await trx.query(`insert into approval_policies (application_id, version, rules, activated_at) values ($1, 1, $2::jsonb, now())`, [
    applicationId,
    JSON.stringify(rules),
  ])
}

export type ApplicationChange = {
  isEnabled?: boolean | undefined
  name?: string | undefined
  requiresSecondFactor?: boolean | undefined
  copiesWebhookStatus?: boolean | undefined
  countries?: CountryName[] | undefined
  /** Null: none. */
  defaultWebhookUrl?: string | null | undefined
  floatWaitHours?: number | undefined
  undoSeconds?: number | undefined
  accountChecksMax?: number | undefined
  allowsPaymentLinks?: boolean | undefined
  refundFeesFrom?: RefundFeesFrom | undefined
  runsInstallation?: boolean | undefined
  allowsCombinedRoles?: boolean | undefined
  /** In CIDR notation. */
  webhookNetworks?: readonly string[] | undefined
}

/** The application that runs the installation, if it is another one. */
export async function findInstallation(queryable: Queryable, applicationId: string): Promise<string | undefined> {
  const { rows } = await queryable.query<{ id: string }>(
    'select application_id as id from applications where runs_installation and application_id <> $1',
    [applicationId],
  )
  return rows[0]?.id
}

/** Whether an application has wallets that people set, statements, or open exceptions: only who runs the installation can see them. */
export async function keepsStatements(queryable: Queryable, applicationId: string): Promise<boolean> {
  const { rowCount } = await queryable.query(
    `select 1 where exists (select 1 from wallets where application_id = $1)
                 or exists (select 1 from statement_files where application_id = $1)
                 or exists (select 1 from exceptions where application_id = $1 and class <> 'unconfirmed' and outcome is null)`,
    [applicationId],
  )
  return rowCount === 1
}

/** Changes the settings that are present; false when there is no such application. */
export async function updateApplication(trx: Queryable, applicationId: string, change: ApplicationChange): Promise<boolean> {
  const { rowCount } = await trx.query(
    `update applications set is_enabled = coalesce($2, is_enabled), name = coalesce($3, name),
       requires_second_factor = coalesce($4, requires_second_factor), copies_webhook_status = coalesce($5, copies_webhook_status),
       countries = coalesce($6, countries), default_webhook_url = case when $7 then $8 else default_webhook_url end,
       runs_installation = coalesce($9, runs_installation), allows_combined_roles = coalesce($10, allows_combined_roles),
       webhook_networks = coalesce($11::cidr[], webhook_networks), float_wait_hours = coalesce($12, float_wait_hours),
       undo_seconds = coalesce($13, undo_seconds), account_checks_max = coalesce($14, account_checks_max),
       refund_fees_from = coalesce($15, refund_fees_from), allows_payment_links = coalesce($16, allows_payment_links)
     where application_id = $1`,
    [
      applicationId,
      change.isEnabled ?? null,
      change.name ?? null,
      change.requiresSecondFactor ?? null,
      change.copiesWebhookStatus ?? null,
      change.countries ?? null,
      change.defaultWebhookUrl !== undefined,
      change.defaultWebhookUrl ?? null,
      change.runsInstallation ?? null,
      change.allowsCombinedRoles ?? null,
      change.webhookNetworks ?? null,
      change.floatWaitHours ?? null,
      change.undoSeconds ?? null,
      change.accountChecksMax ?? null,
      change.refundFeesFrom ?? null,
      change.allowsPaymentLinks ?? null,
    ],
  )
  return rowCount === 1
}

/** Switches off every service of these operators, and returns those that were on. Their limits stay. */
export async function closeServices(
  trx: Queryable,
  applicationId: string,
  operators: readonly OperatorCode[],
  types: readonly TransactionType[],
): Promise<string[]> {
  const { rows } = await trx.query<{ service: string }>(
    `insert into transfer_services as s (application_id, operator, type, is_enabled)
       select $1, o.operator, t.type, false from unnest($2::text[]) as o (operator) cross join unnest($3::text[]) as t (type)
       on conflict (application_id, operator, type) do update set is_enabled = false where s.is_enabled
       returning s.operator || ' ' || s.type as service`,
    [applicationId, operators, types],
  )
  return rows.map(({ service }) => service).sort()
}

type NewKeyRow = {
  applicationId: string
  apiKeyId: string
  name: string
  keyPrefix: string
  keyHash: Buffer
  createdBy: string | null
  expiresAt: Date | null
  scopes: readonly ApiScope[] | null
}

/** Stores a key's digest. */
export async function insertKey(trx: Queryable, key: NewKeyRow): Promise<void> {
  await trx.query(
    `insert into api_keys (application_id, api_key_id, name, key_prefix, key_hash, created_by, expires_at, scopes)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [key.applicationId, key.apiKeyId, key.name, key.keyPrefix, key.keyHash, key.createdBy, key.expiresAt, key.scopes],
  )
}

/** How many keys of an application work now. */
export async function countLiveKeys(trx: Queryable, applicationId: string): Promise<number> {
  const { rowCount } = await trx.query(
    'select 1 from api_keys where application_id = $1 and revoked_at is null and (expires_at is null or expires_at > now())',
    [applicationId],
  )
  return rowCount ?? 0
}

/** Ends a key now; undefined when there is no such key that still works. */
export async function revokeKeyRow(trx: Queryable, applicationId: string, apiKeyId: string): Promise<{ keyPrefix: string } | undefined> {
  const { rows } = await trx.query<{ key_prefix: string }>(
    `update api_keys set revoked_at = now() where application_id = $1 and api_key_id = $2 and revoked_at is null returning key_prefix`,
    [applicationId, apiKeyId],
  )
  return rows[0] && { keyPrefix: rows[0].key_prefix }
}

/** Lets every key that still works end at an instant, unless it ends before. */
export async function expireKeys(trx: Queryable, applicationId: string, expiresAt: Date): Promise<void> {
  await trx.query(
    `update api_keys set expires_at = $2 where application_id = $1 and revoked_at is null and (expires_at is null or expires_at > $2)`,
    [applicationId, expiresAt],
  )
}

/** Lets one key that still works end at an instant, unless it ends before; false when there is no such key. */
export async function expireKey(trx: Queryable, applicationId: string, apiKeyId: string, expiresAt: Date): Promise<boolean> {
  const { rowCount } = await trx.query(
    `update api_keys set expires_at = least(coalesce(expires_at, $3), $3) where application_id = $1 and api_key_id = $2
       and revoked_at is null and (expires_at is null or expires_at > now())`,
    [applicationId, apiKeyId, expiresAt],
  )
  return rowCount === 1
}

/** Adds a canonical network; false when it is there already. */
export async function insertNetwork(trx: Queryable, applicationId: string, network: string, note: string): Promise<boolean> {
  const { rowCount } = await trx.query(
    'insert into ip_allow_entries (application_id, network, note) values ($1, $2, $3) on conflict do nothing',
    [applicationId, network, note],
  )
  return rowCount === 1
}

/** Removes a network; false when it was not there. */
export async function deleteNetwork(trx: Queryable, applicationId: string, network: string): Promise<boolean> {
  const { rowCount } = await trx.query('delete from ip_allow_entries where application_id = $1 and network = $2', [applicationId, network])
  return rowCount === 1
}

/** Sets one transfer service. */
export async function upsertService(
  trx: Queryable,
  applicationId: string,
  operator: OperatorCode,
  type: TransactionType,
  service: TransferService,
): Promise<void> {
  await trx.query(
    `insert into transfer_services (application_id, operator, type, is_enabled, enforces_limits, minimum_minor, maximum_minor)
       values ($1, $2, $3, $4, $5, $6, $7)
       on conflict (application_id, operator, type) do update set is_enabled = excluded.is_enabled,
         enforces_limits = excluded.enforces_limits, minimum_minor = excluded.minimum_minor, maximum_minor = excluded.maximum_minor`,
    [applicationId, operator, type, service.isEnabled, service.enforcesLimits, service.minimumMinor, service.maximumMinor],
  )
}

/** Sets one fee schedule. */
export async function upsertFees(
  trx: Queryable,
  applicationId: string,
  operator: OperatorCode,
  type: TransactionType,
  fees: FeeSchedule,
): Promise<void> {
  await trx.query(
    `insert into fee_schedules (application_id, operator, type, system_rate_ppm, system_fixed_minor, app_rate_ppm, app_fixed_minor)
       values ($1, $2, $3, $4, $5, $6, $7)
       on conflict (application_id, operator, type) do update set system_rate_ppm = excluded.system_rate_ppm,
         system_fixed_minor = excluded.system_fixed_minor,
         app_rate_ppm = excluded.app_rate_ppm, app_fixed_minor = excluded.app_fixed_minor`,
    [applicationId, operator, type, fees.systemRatePpm, fees.systemFixedMinor, fees.appRatePpm, fees.appFixedMinor],
  )
}

/** Adds a webhook secret. */
export async function insertWebhookSecret(trx: Queryable, applicationId: string, webhookSecretId: string, secret: string): Promise<void> {
  await trx.query('insert into webhook_secrets (application_id, webhook_secret_id, secret) values ($1, $2, $3)', [
    applicationId,
    webhookSecretId,
    keyringOfProcess().seal(webhookSecretPlace(applicationId, webhookSecretId), secret),
  ])
}

/** Lets every webhook secret end at an instant, unless it ends before. */
export async function expireWebhookSecrets(trx: Queryable, applicationId: string, expiresAt: Date): Promise<void> {
  await trx.query('update webhook_secrets set expires_at = $2 where application_id = $1 and (expires_at is null or expires_at > $2)', [
    applicationId,
    expiresAt,
  ])
}

/** Whether the database has a time zone of exactly this name. */
export async function isZoneOfDatabase(queryable: Queryable, name: string): Promise<boolean> {
  const { rowCount } = await queryable.query('select from pg_timezone_names where name = $1', [name])
  return rowCount === 1
}

/** When the days from one to another begin in a zone. */
export async function selectDayStarts(
  queryable: Queryable,
  timeZone: string,
  from: UtcDay,
  to: UtcDay,
): Promise<{ day: UtcDay; start: Date }[]> {
  const { rows } = await queryable.query<{ day: UtcDay; start: Date }>(
    `select d::date as day, d at time zone $1 as start from generate_series($2::timestamp, $3::timestamp, interval '1 day') as d`,
    [timeZone, from, to],
  )
  return rows
}

/**
 * Lets an application have a zone as soon as its sums are counted, and no longer the one that it waited for; UTC at once, because its sums
 * are the roll-ups themselves.
 */
export async function requestZone(trx: Queryable, applicationId: string, timeZone: string): Promise<void> {
  await trx.query('update day_zones set is_wanted = false where application_id = $1 and is_wanted', [applicationId])
  if (timeZone === 'UTC') await trx.query(`update applications set time_zone = 'UTC' where application_id = $1`, [applicationId])
  else
    await trx.query(
      `insert into day_zones (application_id, time_zone, is_wanted) values ($1, $2, true)
         on conflict (application_id, time_zone) do update set is_wanted = true, last_used_at = clock_timestamp()`,
      [applicationId, timeZone],
    )
}

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
    `select a.application_id, a.name, a.api_id, a.is_enabled, a.requires_second_factor, a.copies_webhook_status, a.refund_fees_from, a.default_webhook_url,
       a.webhook_networks::text[] as webhook_networks,
       coalesce((select json_agg(json_build_object('id', k.api_key_id, 'prefix', k.key_prefix, 'hash', encode(k.key_hash, 'hex'), 'expiresAt', k.expires_at, 'scopes', k.scopes))
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
