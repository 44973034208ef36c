import type { OperatorCode } from '#lib/operators/operators.ts'
import type { Queryable } from '#server/database/pool.ts'

/** The deposits sent before an operator is asked for its balance: `sentMinor` in all, of which `openMinor` may not be in the balance yet. */
export type FloatMark = { sentMinor: bigint; openMinor: bigint }

/** A deposit without an answer for longer is no longer on its way: it has left the balance, or never will. */
const OPEN_MINUTES_MAX = 10

/** Reads, in one snapshot, what must be subtracted from a balance that an operator is asked for afterwards. */
export async function readFloatMark(queryable: Queryable, operator: OperatorCode): Promise<FloatMark> {
  const { rows } = await queryable.query<FloatMark>({
    name: 'read_float_mark',
    text: `select (select coalesce(sum(s.sent_minor), 0)::bigint from operator_float_sent s where s.operator = $1) as "sentMinor",
                  (select coalesce(sum(t.amount_minor), 0)::bigint from operator_work w
                     join transactions t on t.application_id = w.application_id and t.transaction_id = w.transaction_id
                    where w.operator = $1 and w.type = 'DEPOSIT' and w.phase = 'begun' and w.state <> 'unfunded'
                      and w.claimed_at > clock_timestamp() - ${OPEN_MINUTES_MAX} * interval '1 minute') as "openMinor"`,
    values: [operator],
  })
  return rows[0] ?? { sentMinor: 0n, openMinor: 0n }
}

/**
 * Stores what an operator reports of our account for payouts, with the mark that was read before it was asked. Deposits that wait are tried
 * again at once; after a refusal only if the operator reports more than the least that it has reported since just before it. Amounts in hundredths.
 */
export async function storeFloat(
  queryable: Queryable,
  { operator, reportedMinor, floorMinor, mark }: { operator: OperatorCode; reportedMinor: bigint; floorMinor: bigint; mark: FloatMark },
): Promise<void> {
  await queryable.query({
    name: 'store_operator_float',
    text: `insert into operator_floats as f (operator, reported_minor, available_minor, sent_before_minor, reported_at, floor_minor)
             values ($1, $2, $2::bigint - $3::bigint, $4, clock_timestamp(), $5)
           on conflict (operator) do update
             set reported_minor = excluded.reported_minor, available_minor = excluded.available_minor,
                 sent_before_minor = excluded.sent_before_minor, reported_at = excluded.reported_at, floor_minor = excluded.floor_minor,
                 refused_at_minor = case when f.is_refused then least(f.refused_at_minor, excluded.reported_minor) end,
                 try_at = case when not f.is_refused then case when f.waits_since is not null then excluded.reported_at end
                               when excluded.reported_minor > f.refused_at_minor then excluded.reported_at else f.try_at end`,
    values: [operator, reportedMinor, mark.openMinor, mark.sentMinor, floorMinor],
  })
}

/** Sends nothing more to an operator that refused a deposit because our own account is short. */
export async function holdForFloat(queryable: Queryable, operator: OperatorCode): Promise<void> {
  await queryable.query({
    name: 'hold_for_float',
    text: `insert into operator_floats as f (operator, waits_since, try_at, is_refused) values ($1, clock_timestamp(), 'infinity', true)
           on conflict (operator) do update
             set waits_since = coalesce(f.waits_since, clock_timestamp()), missing_minor = null, try_at = 'infinity', is_refused = true,
                 refused_at_minor = case when f.is_refused then f.refused_at_minor else f.reported_minor end`,
    values: [operator],
  })
}

/**
 * A person knows that there is money: everything that waits is sent, until the operator refuses a deposit or reports its balance. False if
 * nothing waited.
 */
export async function releaseFloat(queryable: Queryable, operator: OperatorCode): Promise<boolean> {
  const { rowCount } = await queryable.query(
    `update operator_floats set waits_since = null, missing_minor = null, try_at = null, is_refused = false, refused_at_minor = null,
            reported_minor = null, available_minor = null, reported_at = null
      where operator = $1 and waits_since is not null`,
    [operator],
  )
  return rowCount === 1
}

/** Deposits to an operator wait because our account there is short; `missingMinor` is null where only the operator knows how much. */
export type FloatWait = { operator: OperatorCode; since: Date; missingMinor: bigint | null; isRefused: boolean }

/**
 * Returns the operators whose deposits wait for float, or would, because the operator refused one. The account is the installation's: an
 * application that does not run it is not told what is missing.
 */
export async function listFloatWaits(queryable: Queryable, readerId?: string): Promise<FloatWait[]> {
  const { rows } = await queryable.query<FloatWait>({
    name: 'list_float_waits',
    text: `select operator, waits_since as since, is_refused as "isRefused",
                  case when $1::uuid is null or exists (select from applications a where a.application_id = $1 and a.runs_installation)
                       then missing_minor end as "missingMinor"
             from operator_floats f
            where waits_since is not null
              and (is_refused or exists (select from operator_work w where w.operator = f.operator and w.type = 'DEPOSIT' and w.phase = 'queued'))
            order by operator`,
    values: [readerId ?? null],
  })
  return rows
}
