import type { Queryable } from '#server/database/pool.ts'

/** A key that a rotation replaced, and that programs still use, is reported this long before it ends. */
const KEY = `interval '24 hours'`
/** Payments are reported this long before they expire; those that may wait for less than twice as long, in the second half of their time. */
const APPROVAL = `interval '4 hours'`

/**
 * Inserts the notices of what will expire, which no event causes: payments that wait for an approval, one notice per application and four hours; and
 * API keys that are still in use, one notice per key.
 */
export async function insertExpiringNotices(queryable: Queryable, now: Date): Promise<void> {
  await queryable.query(
    `select note_state(e.application_id, 'approval_expiring', ${APPROVAL}) from (
       select distinct i.application_id from approval_items i
         join transactions t on t.application_id = i.application_id and t.transaction_id = i.transaction_id
         where i.expires_at > $1::timestamptz and i.expires_at <= $1::timestamptz + ${APPROVAL} and t.is_waiting
           and i.expires_at - $1::timestamptz <= (i.expires_at - t.created_at) / 2
         order by i.application_id) e`,
    [now],
  )
  await queryable.query(
    `insert into notices (application_id, cause, subject_id)
       select k.application_id, 'key_expiring', k.api_key_id from api_keys k
         where k.revoked_at is null and k.expires_at > $1::timestamptz and k.expires_at <= $1::timestamptz + ${KEY}
           and exists (select 1 from api_key_uses u where u.application_id = k.application_id and u.api_key_id = k.api_key_id
             and u.last_at > $1::timestamptz - ${KEY})
     on conflict (subject_id) where cause = 'key_expiring' do nothing`,
    [now],
  )
}
