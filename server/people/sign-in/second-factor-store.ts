import type { Queryable } from '#server/database/pool.ts'
import { keyringOfProcess } from '#server/secrets-at-rest/keyring.ts'
import { totpSecretPlace } from '#server/secrets-at-rest/sealed-columns.ts'

type SecondFactorRow = { email: string; secret: string | null; isEnabled: boolean; lastStep: bigint | null }

/** The stored state of a person's second factor. */
export async function readSecondFactor(queryable: Queryable, personId: string): Promise<SecondFactorRow | undefined> {
  const { rows } = await queryable.query<{ email: string; totp_secret: string | null; is_enabled: boolean; totp_last_step: bigint | null }>(
    'select email, totp_secret, totp_enabled_at is not null as is_enabled, totp_last_step from people where person_id = $1',
    [personId],
  )
  const row = rows[0]
  return row && { email: row.email, secret: openSecret(personId, row.totp_secret), isEnabled: row.is_enabled, lastStep: row.totp_last_step }
}

/** Stores a secret that is not yet confirmed. Returns false if there is a confirmed one. */
export async function startSecret(queryable: Queryable, personId: string, secret: string): Promise<boolean> {
  const { rowCount } = await queryable.query(
    'update people set totp_secret = $2, totp_last_step = null where person_id = $1 and totp_enabled_at is null',
    [personId, keyringOfProcess().seal(totpSecretPlace(personId), secret)],
  )
  return rowCount === 1
}

/** Accepts a time step once; false when this step or a later one was accepted before, or the secret is another one now. */
export async function acceptStep(queryable: Queryable, personId: string, secret: string, step: bigint): Promise<boolean> {
  return updateWhileSecret(
    queryable,
    { personId, secret },
    'update people set totp_last_step = $3 where person_id = $1 and totp_secret = $2 and (totp_last_step is null or totp_last_step < $3)',
    [step],
  )
}

/** Switches the second factor on and ends all sessions; returns the new epoch, undefined when it was on or the secret is another one now. */
export async function enableSecondFactor(trx: Queryable, personId: string, secret: string): Promise<number | undefined> {
  const isEnabled = await updateWhileSecret(
    trx,
    { personId, secret },
    `update people set totp_enabled_at = now(), session_epoch = session_epoch + 1
       where person_id = $1 and totp_secret = $2 and totp_enabled_at is null`,
    [],
  )
  if (!isEnabled) return undefined
  const { rows } = await trx.query<{ session_epoch: number }>('select session_epoch from people where person_id = $1', [personId])
  return rows[0]?.session_epoch
}

/**
 * Runs an update whose $1 is the person and whose $2 is the stored secret, as long as that is still this secret. The same
 * secret may be stored in another form a moment later, when the key is rotated; then the update runs again.
 */
async function updateWhileSecret(
  queryable: Queryable,
  { personId, secret }: { personId: string; secret: string },
  statement: string,
  values: unknown[],
): Promise<boolean> {
  let tried: string | undefined
  for (;;) {
    const { rows } = await queryable.query<{ totp_secret: string | null }>('select totp_secret from people where person_id = $1', [
      personId,
    ])
    const stored = rows[0]?.totp_secret ?? null
    if (stored === null || stored === tried || openSecret(personId, stored) !== secret) return false
    const { rowCount } = await queryable.query(statement, [personId, stored, ...values])
    if (rowCount === 1) return true
    tried = stored
  }
}

function openSecret(personId: string, stored: string | null): string | null {
  return stored === null ? null : keyringOfProcess().open(totpSecretPlace(personId), stored)
}

/** Switches it off, removes its codes and ends all sessions. Returns the new epoch; undefined if there is no such person. */
export async function clearSecondFactor(trx: Queryable, personId: string): Promise<number | undefined> {
  await trx.query('delete from recovery_codes where person_id = $1', [personId])
  const { rows } = await trx.query<{ session_epoch: number }>(
    `update people set totp_secret = null, totp_enabled_at = null, totp_last_step = null,
       session_epoch = session_epoch + 1 where person_id = $1 returning session_epoch`,
    [personId],
  )
  return rows[0]?.session_epoch
}

/** Returns the name of the first application, by name, that requires a second factor of this person; undefined if none does. */
export async function findRequiringApplication(queryable: Queryable, personId: string): Promise<string | undefined> {
  const { rows } = await queryable.query<{ name: string }>(
    `select a.name from memberships m join applications a on a.application_id = m.application_id
      where m.person_id = $1 and m.is_active and cardinality(m.roles) > 0 and a.requires_second_factor order by a.name limit 1`,
    [personId],
  )
  return rows[0]?.name
}

/**
 * Whether the second factors of a person can change only in a session that was started with a passkey: one of their applications requires a second
 * factor, and passkeys are all they have. Otherwise somebody who knows the password could put a device of their own in their place.
 */
export async function needsPasskeySession(queryable: Queryable, personId: string): Promise<boolean> {
  const { rowCount } = await queryable.query(
    `select 1 from people p where p.person_id = $1 and p.totp_enabled_at is null
        and exists (select from passkeys k where k.person_id = p.person_id)`,
    [personId],
  )
  return rowCount === 1 && (await findRequiringApplication(queryable, personId)) !== undefined
}

/** Whether one of these applications requires a second factor of its members; false if there is no such application. */
export async function requiresSecondFactor(queryable: Queryable, applicationIds: readonly string[]): Promise<boolean> {
  const { rowCount } = await queryable.query(
    'select 1 from applications where application_id = any ($1) and requires_second_factor limit 1',
    [applicationIds],
  )
  return rowCount === 1
}

/** Replaces all recovery codes. */
export async function replaceRecoveryCodes(trx: Queryable, personId: string, hashes: readonly Buffer[]): Promise<void> {
  await trx.query('delete from recovery_codes where person_id = $1', [personId])
  await trx.query('insert into recovery_codes (person_id, code_hash) select $1, h from unnest($2::bytea[]) as h', [personId, hashes])
}

/** Uses a recovery code up; false when there is no such unused one. */
export async function useRecoveryCode(queryable: Queryable, personId: string, hash: Buffer): Promise<boolean> {
  const { rowCount } = await queryable.query(
    'update recovery_codes set used_at = now() where person_id = $1 and code_hash = $2 and used_at is null',
    [personId, hash],
  )
  return rowCount === 1
}

/** Notes that twenty wrong one-time codes in a row were entered for a person, until `forgetGuessedCodes`. */
export async function noteGuessedCodes(trx: Queryable, personId: string): Promise<void> {
  await trx.query('update people set codes_guessed_at = clock_timestamp() where person_id = $1', [personId])
}

/** The person has read that somebody guessed codes. */
export async function forgetGuessedCodes(queryable: Queryable, personId: string): Promise<void> {
  await queryable.query('update people set codes_guessed_at = null where person_id = $1 and codes_guessed_at is not null', [personId])
}
