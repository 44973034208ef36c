import { OPERATOR_CODES, type OperatorCode } from '#lib/operators/operators.ts'
import type { ApiScope } from '#lib/partner/api-scopes.ts'
import { TRANSACTION_TYPES } from '#lib/payments/transactions/transaction-status.ts'
import type { Role } from '#lib/people/permissions.ts'
import type { Queryable } from '#server/database/pool.ts'

export type ApplicationListing = {
  applicationId: string
  name: string
  apiId: string
  isEnabled: boolean
  requiresSecondFactor: boolean
  copiesWebhookStatus: boolean
  timeZone: string
  /** Its administrators may change how the operators are reached. */
  runsInstallation: boolean
  createdAt: Date
}
type ApiKeyListing = {
  apiKeyId: string
  name: string
  keyPrefix: string
  createdAt: Date
  createdBy: string | null
  expiresAt: Date | null
  revokedAt: Date | null
  scopes: ApiScope[] | null
}
type ApiUserListing = { apiUserId: string; username: string; isBlocked: boolean; createdAt: Date }
type AddressListing = { network: string; note: string; createdAt: Date }
export type PersonListing = {
  personId: string
  name: string
  email: string
  roles: Role[]
  isActive: boolean
  isBlocked: boolean
  isSuspended: boolean
  hasSecondFactor: boolean
  /** In the back office, to about five minutes; null: never. */
  lastSeenAt: Date | null
}

/** Returns all applications, by name. */
export async function listApplications(queryable: Queryable): Promise<ApplicationListing[]> {
  const { rows } = await queryable.query<{
    application_id: string
    name: string
    api_id: string
    is_enabled: boolean
    requires_second_factor: boolean
    copies_webhook_status: boolean
    time_zone: string
    runs_installation: boolean
    created_at: Date
  }>('select * from applications order by name, application_id')
  return rows.map((row) => ({
    applicationId: row.application_id,
    name: row.name,
    apiId: row.api_id,
    isEnabled: row.is_enabled,
    requiresSecondFactor: row.requires_second_factor,
    copiesWebhookStatus: row.copies_webhook_status,
    timeZone: row.time_zone,
    runsInstallation: row.runs_installation,
    createdAt: row.created_at,
  }))
}

/** Returns the operators with at least one service that is on; a service without a row is. */
export async function listOpenOperators(queryable: Queryable, applicationId: string): Promise<OperatorCode[]> {
  const { rows } = await queryable.query<{ operator: OperatorCode }>(
    `select c.operator from unnest($2::text[]) as c (operator)
       where (select count(*) from transfer_services s
                where s.application_id = $1 and s.operator = c.operator and not s.is_enabled) < $3`,
    [applicationId, OPERATOR_CODES, TRANSACTION_TYPES.length],
  )
  return rows.map((row) => row.operator)
}

/** Returns who and what may use one application, without any secret. */
export async function listAccess(
  queryable: Queryable,
  applicationId: string,
): Promise<{ keys: ApiKeyListing[]; apiUsers: ApiUserListing[]; addresses: AddressListing[]; people: PersonListing[] }> {
  return {
    keys: await readKeyListings(queryable, applicationId),
    apiUsers: await readApiUserListings(queryable, applicationId),
    addresses: await readAddressListings(queryable, applicationId),
    people: await readPersonListings(queryable, applicationId),
  }
}

/** Newest first. */
async function readKeyListings(queryable: Queryable, applicationId: string): Promise<ApiKeyListing[]> {
  const { rows } = await queryable.query<{
    api_key_id: string
    name: string
    key_prefix: string
    created_at: Date
    created_by: string | null
    expires_at: Date | null
    revoked_at: Date | null
    scopes: ApiScope[] | null
  }>(
    `select api_key_id, name, key_prefix, created_at, created_by, expires_at, revoked_at, scopes
       from api_keys where application_id = $1 order by created_at desc`,
    [applicationId],
  )
  return rows.map((row) => ({
    apiKeyId: row.api_key_id,
    name: row.name,
    keyPrefix: row.key_prefix,
    createdAt: row.created_at,
    createdBy: row.created_by,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    scopes: row.scopes,
  }))
}

async function readApiUserListings(queryable: Queryable, applicationId: string): Promise<ApiUserListing[]> {
  const { rows } = await queryable.query<{ api_user_id: string; username: string; is_blocked: boolean; created_at: Date }>(
    'select api_user_id, username, is_blocked, created_at from api_users where application_id = $1 order by username',
    [applicationId],
  )
  return rows.map((row) => ({ apiUserId: row.api_user_id, username: row.username, isBlocked: row.is_blocked, createdAt: row.created_at }))
}

async function readAddressListings(queryable: Queryable, applicationId: string): Promise<AddressListing[]> {
  const { rows } = await queryable.query<{ network: string; note: string; created_at: Date }>(
    'select network, note, created_at from ip_allow_entries where application_id = $1 order by network',
    [applicationId],
  )
  return rows.map((row) => ({ network: row.network, note: row.note, createdAt: row.created_at }))
}

async function readPersonListings(queryable: Queryable, applicationId: string): Promise<PersonListing[]> {
  const { rows } = await queryable.query<{
    person_id: string
    name: string
    email: string
    roles: Role[]
    is_active: boolean
    is_blocked: boolean
    is_suspended: boolean
    has_second_factor: boolean
    last_seen_at: Date | null
  }>(
    `select m.person_id, p.name, p.email, m.roles, m.is_active, p.is_blocked, m.suspended_at is not null as is_suspended,
            has_second_factor(p.person_id) as has_second_factor, g.last_seen_at
       from memberships m join people p using (person_id) left join person_sightings g using (application_id, person_id)
      where m.application_id = $1 order by p.name, m.person_id`,
    [applicationId],
  )
  return rows.map((row) => ({
    personId: row.person_id,
    name: row.name,
    email: row.email,
    roles: row.roles,
    isActive: row.is_active,
    isBlocked: row.is_blocked,
    isSuspended: row.is_suspended,
    hasSecondFactor: row.has_second_factor,
    lastSeenAt: row.last_seen_at,
  }))
}

/** Returns a key that works now; undefined if there is none with this id. */
export async function findLiveKey(
  queryable: Queryable,
  applicationId: string,
  apiKeyId: string,
): Promise<{ name: string; keyPrefix: string; scopes: ApiScope[] | null } | undefined> {
  const { rows } = await queryable.query<{ name: string; keyPrefix: string; scopes: ApiScope[] | null }>(
    `select name, key_prefix as "keyPrefix", scopes from api_keys
      where application_id = $1 and api_key_id = $2 and revoked_at is null and (expires_at is null or expires_at > now())`,
    [applicationId, apiKeyId],
  )
  return rows[0]
}

/** Returns an API user of an application; undefined if there is none with this id. */
export async function findApiUserById(
  queryable: Queryable,
  applicationId: string,
  apiUserId: string,
): Promise<{ username: string; isBlocked: boolean } | undefined> {
  const { rows } = await queryable.query<{ username: string; isBlocked: boolean }>(
    'select username, is_blocked as "isBlocked" from api_users where application_id = $1 and api_user_id = $2',
    [applicationId, apiUserId],
  )
  return rows[0]
}
