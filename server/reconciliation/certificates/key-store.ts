import type { Queryable, TrxClient } from '#server/database/pool.ts'

/** `publicKey`: hexadecimal, 32 bytes. */
export type PublicKey = { keyId: string; publicKey: string; createdAt: Date; retiredAt: Date | null }

/** The keys with which certificates were signed, the newest first. */
export async function listPublicKeys(queryable: Queryable, applicationId: string): Promise<PublicKey[]> {
  const { rows } = await queryable.query<PublicKey>(
    `select key_id as "keyId", public_key as "publicKey", created_at as "createdAt", retired_at as "retiredAt"
       from certificate_keys where application_id = $1 order by created_at desc, key_id`,
    [applicationId],
  )
  return rows
}

/** The key that signs, encrypted; undefined if there is none. */
export async function readCurrentKey(queryable: Queryable, applicationId: string): Promise<{ keyId: string; sealed: string } | undefined> {
  const { rows } = await queryable.query<{ keyId: string; sealed: string }>(
    `select key_id as "keyId", private_key as sealed from certificate_keys where application_id = $1 and retired_at is null`,
    [applicationId],
  )
  return rows[0]
}

/** Stores a key that signs from now on, if there is none. */
export async function insertKey(
  trx: TrxClient,
  { applicationId, keyId, publicKey, sealed }: { applicationId: string; keyId: string; publicKey: string; sealed: string },
): Promise<void> {
  await trx.query(
    `insert into certificate_keys (application_id, key_id, public_key, private_key) values ($1, $2, $3, $4)
     on conflict (application_id) where retired_at is null do nothing`,
    [applicationId, keyId, publicKey, sealed],
  )
}

/** Removes the private half of the key that signs. Returns its id; undefined if there is none. */
export async function retireKey(trx: TrxClient, applicationId: string): Promise<string | undefined> {
  const { rows } = await trx.query<{ keyId: string }>(
    `update certificate_keys set private_key = null, retired_at = clock_timestamp()
      where application_id = $1 and retired_at is null returning key_id as "keyId"`,
    [applicationId],
  )
  return rows[0]?.keyId
}
