import assert from 'node:assert/strict'
import type { Pool } from '#server/database/pool.ts'
import { readWallet } from '../wallets/wallet-store.ts'

/** Makes a day of a wallet a signed one, where the content and the signature of its certificate do not matter. */
export async function insertSignedDay(
  pool: Pool,
  { installation, wallet, day }: { installation: string; wallet: string; day: string },
): Promise<void> {
  const set = (await readWallet(pool, installation, wallet)) ?? assert.fail(`no wallet ${wallet}`)
  await pool.query(
    `insert into day_certificates (application_id, wallet, day, version, state, operator, account, starts_at, ends_at, body, hash, prepared_by,
         prepared_at, signed_by, signed_at, key_id, signature)
       values ($1, $2, $3, 1, 'signed', $4, $5, $3::date::timestamp at time zone $6, ($3::date + 1)::timestamp at time zone $6, '{}',
               sha256(convert_to($2, 'UTF8')), gen_random_uuid(), now(), gen_random_uuid(), now(), gen_random_uuid(), decode(repeat('00', 64), 'hex'))`,
    [installation, wallet, day, set.operator, set.account, set.zone],
  )
}
