import type { Queryable } from '#server/database/pool.ts'

export type NewPasskey = {
  credentialId: string
  personId: string
  name: string
  publicKey: Uint8Array
  signCount: number
  transports: readonly string[]
  createdAt: Date
}

/** Stores a passkey; false if there is one with this id, of anybody. */
export async function insertPasskey(trx: Queryable, passkey: NewPasskey): Promise<boolean> {
  const { rowCount } = await trx.query(
    `insert into passkeys (credential_id, person_id, name, public_key, sign_count, transports, created_at)
       values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing`,
    [
      passkey.credentialId,
      passkey.personId,
      passkey.name,
      Buffer.from(passkey.publicKey),
      passkey.signCount,
      passkey.transports,
      passkey.createdAt,
    ],
  )
  return rowCount === 1
}

/** Counts a person's passkeys, and keeps others from adding one until the transaction ends. */
export async function lockPasskeyCount(trx: Queryable, personId: string): Promise<number> {
  await trx.query('select 1 from people where person_id = $1 for no key update', [personId])
  const { rows } = await trx.query<{ count: number }>('select count(*)::int as count from passkeys where person_id = $1', [personId])
  return rows[0]?.count ?? 0
}

/** Whether a person has a passkey. */
export async function hasPasskey(queryable: Queryable, personId: string): Promise<boolean> {
  const { rowCount } = await queryable.query('select 1 from passkeys where person_id = $1 limit 1', [personId])
  return rowCount === 1
}

export type PasskeyListing = { credentialId: string; name: string; createdAt: Date; lastUsedAt: Date | null }

/** The passkeys of a person, the oldest first. */
export async function listPasskeys(queryable: Queryable, personId: string): Promise<PasskeyListing[]> {
  const { rows } = await queryable.query<PasskeyListing>(
    `select credential_id as "credentialId", name, created_at as "createdAt", last_used_at as "lastUsedAt"
       from passkeys where person_id = $1 order by created_at, credential_id`,
    [personId],
  )
  return rows
}

export type StoredPasskey = {
  personId: string
  name: string
  email: string
  isBlocked: boolean
  sessionEpoch: number
  publicKey: Buffer
}

/** Returns a passkey with what a signature needs to know about its owner. */
export async function findPasskey(queryable: Queryable, credentialId: string): Promise<StoredPasskey | undefined> {
  const { rows } = await queryable.query<StoredPasskey>(
    `select k.person_id as "personId", k.name, p.email, p.is_blocked as "isBlocked", p.session_epoch as "sessionEpoch",
            k.public_key as "publicKey"
       from passkeys k join people p using (person_id) where k.credential_id = $1`,
    [credentialId],
  )
  return rows[0]
}

/**
 * Notes that a passkey signed. False if the passkey is gone, or if its device counts and this count is not above the last one; the statement
 * decides, so that of two signatures with one count only the first is accepted.
 */
export async function noteSignature(trx: Queryable, credentialId: string, signCount: number, at: Date): Promise<boolean> {
  const { rowCount } = await trx.query(
    `update passkeys set sign_count = $2, last_used_at = $3
      where credential_id = $1 and (sign_count < $2 or (sign_count = 0 and $2 = 0))`,
    [credentialId, signCount, at],
  )
  return rowCount === 1
}

/** Removes a passkey of a person; returns its name, undefined if the person has no such passkey. */
export async function deletePasskey(trx: Queryable, personId: string, credentialId: string): Promise<string | undefined> {
  const { rows } = await trx.query<{ name: string }>('delete from passkeys where person_id = $1 and credential_id = $2 returning name', [
    personId,
    credentialId,
  ])
  return rows[0]?.name
}

/** Removes all passkeys of a person; returns how many. */
export async function deletePasskeys(trx: Queryable, personId: string): Promise<number> {
  const { rowCount } = await trx.query('delete from passkeys where person_id = $1', [personId])
  return rowCount ?? 0
}
