import { randomUUID } from 'node:crypto'
import type { BrowserDto, PushSubscriptionKeys } from '#lib/people/browsers.ts'
import { digest } from '#server/credentials/secrets.ts'
import type { Queryable } from '#server/database/pool.ts'
import { keyringOfProcess } from '#server/secrets-at-rest/keyring.ts'
import { pushKeyPlace, subscriptionPlace } from '#server/secrets-at-rest/sealed-columns.ts'

/** A key pair of P-256 in base64url, as browsers and push services take it. */
export type PushKeys = { publicKey: string; privateKey: string }

/** Returns the key pair of this installation, if it has one. */
export async function findPushKeys(queryable: Queryable): Promise<PushKeys | undefined> {
  const { rows } = await queryable.query<{ id: string; publicKey: string; sealed: string }>(
    'select push_key_id as id, public_key as "publicKey", private_key as sealed from push_keys',
  )
  return rows[0] && { publicKey: rows[0].publicKey, privateKey: keyringOfProcess().open(pushKeyPlace(rows[0].id), rows[0].sealed) }
}

/** Stores the key pair of this installation, unless another process has stored one. */
export async function insertPushKeys(queryable: Queryable, { publicKey, privateKey }: PushKeys): Promise<void> {
  const id = randomUUID()
  await queryable.query('insert into push_keys (push_key_id, public_key, private_key) values ($1, $2, $3) on conflict do nothing', [
    id,
    publicKey,
    keyringOfProcess().seal(pushKeyPlace(id), privateKey),
  ])
}

/** Counts a person's browsers, and keeps others from adding one until the transaction ends. */
export async function lockBrowserCount(trx: Queryable, personId: string): Promise<number> {
  await trx.query('select 1 from people where person_id = $1 for no key update', [personId])
  const { rows } = await trx.query<{ count: number }>('select count(*)::int as count from notice_browsers where person_id = $1', [personId])
  return rows[0]?.count ?? 0
}

/** Adds a browser. Its address at the push service is a new one, or that of the person who used the browser before, who is told nothing there any longer. */
export async function insertBrowser(
  trx: Queryable,
  browser: { personId: string; name: string; subscription: PushSubscriptionKeys; addedAt: Date },
): Promise<void> {
  const id = randomUUID()
  const { personId, name, subscription, addedAt } = browser
  await trx.query('delete from notice_browsers where endpoint_digest = $1', [digest(subscription.endpoint)])
  await trx.query(
    `insert into notice_browsers (browser_id, person_id, name, subscription, endpoint_digest, added_at) values ($1, $2, $3, $4, $5, $6)`,
    [
      id,
      personId,
      name,
      keyringOfProcess().seal(subscriptionPlace(id), JSON.stringify(subscription)),
      digest(subscription.endpoint),
      addedAt,
    ],
  )
}

/** The browsers of a person, the oldest first. */
export async function listBrowsers(queryable: Queryable, personId: string): Promise<BrowserDto[]> {
  const { rows } = await queryable.query<Omit<BrowserDto, 'addedAt'> & { addedAt: Date }>(
    `select browser_id as "browserId", name, encode(endpoint_digest, 'hex') as "endpointDigest", added_at as "addedAt"
       from notice_browsers where person_id = $1 order by added_at, browser_id`,
    [personId],
  )
  return rows.map((row) => ({ ...row, addedAt: row.addedAt.toISOString() }))
}

/** Returns where a browser receives notifications; undefined if it was removed. */
export async function findSubscription(queryable: Queryable, browserId: string): Promise<PushSubscriptionKeys | undefined> {
  const { rows } = await queryable.query<{ sealed: string }>('select subscription as sealed from notice_browsers where browser_id = $1', [
    browserId,
  ])
  return rows[0] && JSON.parse(keyringOfProcess().open(subscriptionPlace(browserId), rows[0].sealed))
}

/** Removes a browser of a person with what was to be sent to it; returns its name, undefined if the person has no such browser. */
export async function deleteBrowser(queryable: Queryable, personId: string, browserId: string): Promise<string | undefined> {
  const { rows } = await queryable.query<{ name: string }>(
    'delete from notice_browsers where person_id = $1 and browser_id = $2 returning name',
    [personId, browserId],
  )
  return rows[0]?.name
}

/** Notes that a browser is tested now: `too_soon` if it was within `pauseMs`, `not_found` if the person has no such browser. */
export async function startTest(
  queryable: Queryable,
  { personId, browserId, now, pauseMs }: { personId: string; browserId: string; now: Date; pauseMs: number },
): Promise<'started' | 'too_soon' | 'not_found'> {
  const { rowCount } = await queryable.query(
    `update notice_browsers set tested_at = $3::timestamptz where person_id = $1 and browser_id = $2
       and coalesce(tested_at <= $3::timestamptz - $4::float8 * interval '1 millisecond', true)`,
    [personId, browserId, now, pauseMs],
  )
  if (rowCount === 1) return 'started'
  const { rowCount: exists } = await queryable.query('select 1 from notice_browsers where person_id = $1 and browser_id = $2', [
    personId,
    browserId,
  ])
  return exists === 1 ? 'too_soon' : 'not_found'
}
