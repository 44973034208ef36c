import type { Queryable } from '#server/database/pool.ts'
import { sealedPrefix } from './keyring.ts'
import { SEALED_COLUMNS, type SealedColumn } from './sealed-columns.ts'

/** `row` is the row's identity as text, its parts separated by a slash, as in the place of a secret. */
type StoredSecret = { row: string; stored: string }

/** Takes the lock under which keys are registered and secrets encrypted again, to the end of the transaction. */
export async function lockSecrets(trx: Queryable): Promise<void> {
  await trx.query('select pg_advisory_xact_lock(7304114807)')
}

/**
 * Reads some secrets that are not encrypted under the key, in the order of their rows, from the one after `afterRow`, and locks them, so
 * that no other process replaces one between the reading and the writing.
 */
export async function lockSecretsOf(
  trx: Queryable,
  column: SealedColumn,
  { keyId, afterRow, limit }: { keyId: string; afterRow: string; limit: number },
): Promise<StoredSecret[]> {
  const { table, field } = column
  const identity = column.identity.join(', ')
  // Tables and columns are names from sealed-columns.ts, never input.
  const { rows } = await trx.query<StoredSecret>(
    `select ${column.identity.map((name) => `${name}::text`).join(" || '/' || ")} as row, ${field} as stored from ${table}
      where ${field} is not null and not starts_with(${field}, $1) and (${identity}) > (${identityOf('$2::text', column)})
      order by ${identity} limit $3 for update`,
    [sealedPrefix(keyId), afterRow, limit],
  )
  return rows
}

/** Replaces the stored form of secrets whose rows are locked. */
export async function replaceSecrets(trx: Queryable, column: SealedColumn, secrets: readonly StoredSecret[]): Promise<void> {
  const { table, field, identity } = column
  await trx.query(
    `update ${table} set ${field} = s.stored from unnest($1::text[], $2::text[]) as s (row, stored)
      where (${identity.map((name) => `${table}.${name}`).join(', ')}) = (${identityOf('s.row', column)})`,
    [secrets.map((secret) => secret.row), secrets.map((secret) => secret.stored)],
  )
}

/** The ids of all keys that something is encrypted with. */
export async function readKeyIdsInUse(queryable: Queryable): Promise<string[]> {
  const { rows } = await queryable.query<{ key_id: string }>(
    `select distinct split_part(stored, ':', 3) as key_id from (${SEALED_COLUMNS.map(
      ({ table, field }) => `select ${field} as stored from ${table}`,
    ).join(' union all ')}) s where starts_with(stored, $1) order by 1`,
    [sealedPrefix()],
  )
  return rows.map((row) => row.key_id)
}

type RegisteredKey = { keyId: string; verification: string }

/** The keys that this database knows, with the value that each of them must be able to decrypt. */
export async function readRegisteredKeys(queryable: Queryable): Promise<RegisteredKey[]> {
  const { rows } = await queryable.query<{ key_id: string; verification: string }>(
    'select key_id, verification from secrets_keys order by registered_at, key_id',
  )
  return rows.map((row) => ({ keyId: row.key_id, verification: row.verification }))
}

export async function registerKey(trx: Queryable, key: RegisteredKey): Promise<void> {
  await trx.query('insert into secrets_keys (key_id, verification) values ($1, $2) on conflict do nothing', [key.keyId, key.verification])
}

/** Removes keys with which nothing is encrypted. Returns their ids. */
export async function forgetKeysBut(trx: Queryable, keyIds: readonly string[]): Promise<string[]> {
  const { rows } = await trx.query<{ key_id: string }>('delete from secrets_keys where key_id <> all ($1::text[]) returning key_id', [
    keyIds,
  ])
  return rows.map((row) => row.key_id)
}

/** The columns of a row's identity, taken out of its text, so that the primary key finds it. */
function identityOf(rowText: string, { identity }: SealedColumn): string {
  return identity.map((_, index) => `split_part(${rowText}, '/', ${index + 1})::uuid`).join(', ')
}
