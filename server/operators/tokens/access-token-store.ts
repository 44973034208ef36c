import { randomUUID } from 'node:crypto'
import type { OperatorCode } from '#lib/operators/operators.ts'
import type { Queryable } from '#server/database/pool.ts'
import { keyringOfProcess } from '#server/secrets-at-rest/keyring.ts'
import { operatorTokenPlace } from '#server/secrets-at-rest/sealed-columns.ts'

/** Which token: the operator, and the account that it belongs to. Other credentials are another account (`accountOf`). */
export type TokenKey = { operator: OperatorCode; account: string }

/** Both instants on the scale of `performance.now()`: the clocks of database and process may differ. */
export type StoredToken = { token: string; renewAtMs: number; expiresAtMs: number }

type TokenRow = { id: string; token: string; renew_in_ms: number; expires_in_ms: number }

/** Reads the stored token; undefined if there is none that is still valid. */
export async function readToken(queryable: Queryable, { operator, account }: TokenKey): Promise<StoredToken | undefined> {
  const readAtMs = performance.now()
  const { rows } = await queryable.query<TokenRow>({
    name: 'read_operator_access_token',
    text: `select operator_access_token_id as id, token,
             (extract(epoch from renew_at - clock_timestamp()) * 1000)::float8 as renew_in_ms,
             (extract(epoch from expires_at - clock_timestamp()) * 1000)::float8 as expires_in_ms
           from operator_access_tokens where operator = $1 and account = $2 and token is not null and expires_at > clock_timestamp()`,
    values: [operator, account],
  })
  const [row] = rows
  if (!row) return undefined
  const token = keyringOfProcess().open(operatorTokenPlace(row.id), row.token)
  return { token, renewAtMs: readAtMs + row.renew_in_ms, expiresAtMs: readAtMs + row.expires_in_ms }
}

/**
 * Takes the right to fetch the next token for `leaseMs`; false while another caller has it, and if one has stored a token that is not due
 * since this caller looked.
 */
export async function claimRenewal(queryable: Queryable, { operator, account }: TokenKey, leaseMs: number): Promise<boolean> {
  const { rowCount } = await queryable.query({
    name: 'claim_operator_token_renewal',
    text: `insert into operator_access_tokens (operator_access_token_id, operator, account, renewing_until)
             values ($3, $1, $2, clock_timestamp() + $4 * interval '1 millisecond')
           on conflict (operator, account) do update set renewing_until = excluded.renewing_until
             where (operator_access_tokens.renewing_until is null or operator_access_tokens.renewing_until < clock_timestamp())
               and (operator_access_tokens.renew_at is null or operator_access_tokens.renew_at <= clock_timestamp())`,
    values: [operator, account, randomUUID(), leaseMs],
  })
  return rowCount === 1
}

export async function releaseRenewal(queryable: Queryable, { operator, account }: TokenKey): Promise<void> {
  await queryable.query('update operator_access_tokens set renewing_until = null where operator = $1 and account = $2', [operator, account])
}

type NewToken = { token: string; expiresInMs: number; renewBeforeMs: number }

/** Stores a token that the operator has just issued, and ends the right to fetch. */
export async function storeToken(queryable: Queryable, { operator, account }: TokenKey, issued: NewToken): Promise<StoredToken> {
  const storedAtMs = performance.now()
  const { rows } = await queryable.query<{ id: string }>(
    'select operator_access_token_id as id from operator_access_tokens where operator = $1 and account = $2',
    [operator, account],
  )
  const id = rows[0]?.id
  if (id === undefined) throw new Error('A token was fetched without the right to')
  await queryable.query(
    `update operator_access_tokens set token = $2, renewing_until = null, expires_at = clock_timestamp() + $3 * interval '1 millisecond',
       renew_at = clock_timestamp() + $4 * interval '1 millisecond' where operator_access_token_id = $1`,
    [id, keyringOfProcess().seal(operatorTokenPlace(id), issued.token), issued.expiresInMs, issued.expiresInMs - issued.renewBeforeMs],
  )
  return {
    token: issued.token,
    renewAtMs: storedAtMs + issued.expiresInMs - issued.renewBeforeMs,
    expiresAtMs: storedAtMs + issued.expiresInMs,
  }
}

/** Makes sure that nobody uses this token again. Another one that was stored meanwhile stays. */
export async function expireToken(queryable: Queryable, { operator, account }: TokenKey, token: string): Promise<void> {
  const { rows } = await queryable.query<{ id: string; token: string }>(
    'select operator_access_token_id as id, token from operator_access_tokens where operator = $1 and account = $2 and token is not null',
    [operator, account],
  )
  const [row] = rows
  if (!row || keyringOfProcess().open(operatorTokenPlace(row.id), row.token) !== token) return
  await queryable.query(
    'update operator_access_tokens set token = null, expires_at = null, renew_at = null where operator_access_token_id = $1 and token = $2',
    [row.id, row.token],
  )
}
