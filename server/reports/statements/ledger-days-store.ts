import { ADJUSTMENT_KINDS, type AdjustmentKind, type LineFilter } from '#lib/finance/finance-dto.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import type { BusinessTime } from '#lib/time/format-time.ts'
import type { UtcDay } from '#lib/time/time.ts'
import type { Queryable } from '#server/database/pool.ts'
import { ADJUSTMENTS } from '#server/ledger/ledger-store.ts'

/** How many characters of a day (`2026-11-03`) name the period that movements are summed by: day, month or year. */
export type PeriodLength = 10 | 7 | 4

/** The period of all days after the last requested one. */
export const AFTERWARDS = 'after'

/** The movements at an operator in a period; `day` null: on all days before the first requested one. Hundredths. */
export type DayMovements = {
  operator: OperatorCode
  day: UtcDay | null
  isLive: boolean
  count: bigint
  collectMinor: bigint
  depositMinor: bigint
  heldMinor: bigint
  collectedMinor: bigint
  paidMinor: bigint
  feesMinor: bigint
  fundedMinor: bigint
  correctedMinor: bigint
  withdrawnMinor: bigint
  adjustedMinor: bigint
  /** Of what was settled, as for totals by the day of completion. */
  collectedCount: bigint
  paidCount: bigint
  feesAppMinor: bigint
  collectFeesMinor: bigint
  collectFeesAppMinor: bigint
  placedMinor: bigint
  releasedMinor: bigint
  peakMinor: bigint
}

/** The changes of the balances by adjustments of every kind. */
const ADJUSTED = 'reversed_minor + late_minor + conceded_minor + fees_out_minor'

const SUMS = `sum(collect_minor)::bigint as "collectMinor", sum(deposit_minor)::bigint as "depositMinor", sum(held_minor)::bigint as "heldMinor",
  sum(collected_minor)::bigint as "collectedMinor", sum(paid_minor)::bigint as "paidMinor", sum(fees_minor)::bigint as "feesMinor",
  sum(funded_minor)::bigint as "fundedMinor", sum(corrected_minor)::bigint as "correctedMinor",
  sum(withdrawn_minor)::bigint as "withdrawnMinor",
  sum(adjusted_minor)::bigint as "adjustedMinor",
  sum(collected_count)::bigint as "collectedCount", sum(paid_count)::bigint as "paidCount", sum(fees_app_minor)::bigint as "feesAppMinor",
  sum(collect_fees_minor)::bigint as "collectFeesMinor", sum(collect_fees_app_minor)::bigint as "collectFeesAppMinor", sum(placed_minor)::bigint as "placedMinor",
  sum(released_minor)::bigint as "releasedMinor"`

type MovementsRequest = {
  zone: string
  operator: OperatorCode | null
  fromDay: UtcDay
  toDay: UtcDay
  length: PeriodLength
  sealedUntil: string
}

/** $3 first day, $4 last day, $5 length of a period's name. */
const PERIOD = `case when day < $3::date then null when day > $4::date then '${AFTERWARDS}' else left(to_char(day, 'YYYY-MM-DD'), $5::integer) end`

/**
 * The sums by UTC day, and what the edges of zone $6 take from a day or add to it. Edges between two days before the range, or after it,
 * cancel out.
 */
const SEALED_DAYS = `(
  select operator, day, posting_count, collect_minor, deposit_minor, held_minor, collected_minor, paid_minor,
         fees_minor, funded_minor, corrected_minor, withdrawn_minor, ${ADJUSTED} as adjusted_minor,
         collected_count, paid_count, fees_app_minor, collect_fees_minor, collect_fees_app_minor,
         placed_minor, released_minor, deposit_peak_minor
    from ledger_days where application_id = $1 and ($2::text is null or operator = $2)
  union all
  select e.operator, v.day, v.sign * e.posting_count, v.sign * e.collect_minor, v.sign * e.deposit_minor, v.sign * e.held_minor, v.sign * e.collected_minor,
         v.sign * e.paid_minor, v.sign * e.fees_minor, v.sign * e.funded_minor, v.sign * e.corrected_minor, v.sign * e.withdrawn_minor, v.sign * (${ADJUSTED}),
         v.sign * e.collected_count, v.sign * e.paid_count, v.sign * e.fees_app_minor, v.sign * e.collect_fees_minor, v.sign * e.collect_fees_app_minor,
         v.sign * e.placed_minor, v.sign * e.released_minor, 0
    from ledger_day_edges e cross join lateral (values (e.day, -1), (e.business_day, 1)) v (day, sign)
    where e.application_id = $1 and e.time_zone = $6 and ($2::text is null or e.operator = $2)
      and e.day >= $3::date - 1 and e.day <= $4::date + 1) d`

/**
 * Every movement of an application, per operator and period from `fromDay` to `toDay`, sealed and later ones apart. The peaks of sealed days
 * are those of UTC days.
 */
export async function selectMovements(queryable: Queryable, applicationId: string, request: MovementsRequest): Promise<DayMovements[]> {
  const values = [applicationId, request.operator, request.fromDay, request.toDay, request.length, request.zone]
  // Without a seal everything is read from the postings themselves.
  const sealed =
    request.sealedUntil === '-infinity'
      ? []
      : (
          await queryable.query<DayMovements>(
            `select operator, ${PERIOD} as day, false as "isLive", sum(posting_count)::bigint as count, ${SUMS},
               max(deposit_peak_minor) as "peakMinor"
             from ${SEALED_DAYS} group by 1, 2 having sum(posting_count) > 0`,
            values,
          )
        ).rows
  const { rows: live } = await queryable.query<DayMovements>(
    `select operator, ${PERIOD} as day, true as "isLive", count(*) as count, ${SUMS},
       greatest(0, max(risen_minor))::bigint as "peakMinor"
     from (select m.*, sum(m.deposit_minor) over (partition by m.operator, m.day order by m.at) as risen_minor
             from (select n.operator, n.at, (n.at at time zone $6)::date as day, n.collect_minor, n.deposit_minor, n.held_minor, n.collected_minor,
                          n.paid_minor, n.fees_minor, n.funded_minor, n.corrected_minor, n.withdrawn_minor, ${ADJUSTED} as adjusted_minor,
                          n.collected_count, n.paid_count, n.fees_app_minor, n.collect_fees_minor, n.collect_fees_app_minor,
                          n.placed_minor,
                          n.released_minor
                     from ledger_movements n
                     where n.application_id = $1 and ($2::text is null or n.operator = $2) and n.at >= $7::timestamptz) m) m
     group by 1, 2`,
    [...values, request.sealedUntil],
  )
  return [...sealed, ...live]
}

/** On how many UTC days and in how many months of a range an operator's balances moved, as far as that is summed by day. */
export async function countPeriods(
  queryable: Queryable,
  applicationId: string,
  { operator, from, to }: { operator: OperatorCode; from: UtcDay; to: UtcDay },
): Promise<{ days: number; months: number }> {
  const { rows } = await queryable.query<{ days: number; months: number }>(
    `select count(*)::integer as days, count(distinct date_trunc('month', day))::integer as months from ledger_days
       where application_id = $1 and operator = $2 and day between $3::date and $4::date`,
    [applicationId, operator, from, to],
  )
  return rows[0] ?? { days: 0, months: 0 }
}

type ThresholdRow = { operator: OperatorCode; thresholdMinor: bigint }

export async function selectThresholds(queryable: Queryable, applicationId: string): Promise<ThresholdRow[]> {
  const { rows } = await queryable.query<ThresholdRow>(
    'select operator, threshold_minor as "thresholdMinor" from balance_thresholds where application_id = $1',
    [applicationId],
  )
  return rows
}

/** `day`: a UTC day. */
type CrossingRequest = { operator: OperatorCode; day: UtcDay; openingMinor: bigint; thresholdMinor: bigint }

/** When on that day a deposit balance went below a threshold for the last time; null when it did not. */
export async function selectCrossing(queryable: Queryable, applicationId: string, request: CrossingRequest): Promise<Date | null> {
  const { rows } = await queryable.query<{ at: Date | null }>(
    `with step as materialized (
       select at, $4::bigint + sum(sum(deposit_minor)) over (order by at) as balance_minor from ledger_postings
       where application_id = $1 and operator = $2 and at >= ($3 || 'T00:00:00Z')::timestamptz
         and at < ($3 || 'T00:00:00Z')::timestamptz + interval '24 hours'
       group by at)
     select min(at) as at from step
     where at > coalesce((select max(at) from step where balance_minor >= $5), '-infinity')`,
    [applicationId, request.operator, request.day, request.openingMinor, request.thresholdMinor],
  )
  return rows[0]?.at ?? null
}

export type LineRow = {
  subjectId: string
  kind: 'hold' | 'release' | 'settle' | 'fund' | 'move' | 'correct' | 'withdraw' | AdjustmentKind
  at: Date
  customerName: string | null
  amountMinor: bigint | null
  phoneNumber: string | null
  externalId: string | null
  operatorReference: string | null
  isTransaction: boolean
  adjustments: AdjustmentKind[]
  reason: string | null
  collectMinor: bigint
  depositMinor: bigint
  heldMinor: bigint
  feesMinor: bigint
  /** How much the lines of these days up to this one, and this one, moved the balances together. */
  movedMinor: bigint
}

/** The postings of each filter and what each is to the statement; `amount` adds up to the movement of that name (view ledger_movements). */
const FILTERED_LINES: Record<LineFilter, { condition: string; amount: string }> = {
  hold: { condition: "kind = 'hold'", amount: 'held_minor' },
  release: { condition: "kind = 'release'", amount: '-held_minor' },
  collect: { condition: "kind = 'settle' and clearing_minor < 0", amount: '-clearing_minor' },
  pay: { condition: "kind = 'settle' and clearing_minor > 0", amount: 'clearing_minor' },
  fund: { condition: "kind = 'fund'", amount: 'deposit_minor' },
  correct: { condition: "kind = 'correct'", amount: 'collect_minor + deposit_minor + held_minor' },
  withdraw: { condition: "kind = 'withdraw'", amount: 'clearing_minor' },
  adjust: {
    condition: `kind in (${ADJUSTMENT_KINDS.map((kind) => `'${kind}'`).join(', ')})`,
    amount: 'collect_minor + deposit_minor + held_minor',
  },
  fees: { condition: "kind = 'settle' and fees_minor + revenue_minor <> 0", amount: 'fees_minor + revenue_minor' },
}

const POSTINGS_OF_DAYS = `from ledger_postings where application_id = $1 and operator = $2 and at >= $3::date::timestamp at time zone $5
  and at < ($4::date + 1)::timestamp at time zone $5`

type LinesOfKind = { operator: OperatorCode; from: UtcDay; to: UtcDay; kind: LineFilter }

/** How many postings of some days a filter leaves and what they add up to, each of them read. */
export async function sumLines(
  queryable: Queryable,
  { applicationId, businessZone }: BusinessTime,
  { operator, from, to, kind }: LinesOfKind,
): Promise<{ count: bigint; amountMinor: bigint }> {
  const { condition, amount } = FILTERED_LINES[kind]
  const { rows } = await queryable.query<{ count: bigint; amountMinor: bigint }>(
    `select count(*) as count, coalesce(sum(${amount}), 0) as "amountMinor" ${POSTINGS_OF_DAYS} and ${condition}`,
    [applicationId, operator, from, to, businessZone],
  )
  const [sum] = rows
  if (!sum) throw new Error('A sum over nothing is a row too')
  return sum
}

type LinesRequest = { operator: OperatorCode; from: UtcDay; to: UtcDay; kind: LineFilter | null; offset: bigint; limit: number }

/** A funding by people has its reference as its reason, and both of them. */
const LINE_COLUMNS = `p.subject_id as "subjectId", p.kind, p.at,
  case when f.change_id is null then p.reason else concat(f.payload ->> 'reference', ' · ', n.name, ', ', d.name) end as reason, p.collect_minor as "collectMinor", p.deposit_minor as "depositMinor",
  p.held_minor as "heldMinor", p.fees_minor + p.revenue_minor as "feesMinor", t.customer_name as "customerName",
  t.amount_minor as "amountMinor", t.phone_number as "phoneNumber", t.external_id as "externalId", t.operator_reference as "operatorReference",
  t.transaction_id is not null as "isTransaction", ${ADJUSTMENTS} as adjustments, p.moved_minor as "movedMinor"`

/** Postings of some days in order of time; $6 offset, $7 limit. */
function linesOf(kind: LineFilter | null): string {
  return `select ${LINE_COLUMNS}
     from (select *, sum(collect_minor + deposit_minor + held_minor) over (order by at, subject_id, kind rows unbounded preceding) as moved_minor
             ${POSTINGS_OF_DAYS} ${kind === null ? '' : `and ${FILTERED_LINES[kind].condition}`}
           order by at, subject_id, kind offset $6 limit $7) p
     left join transactions t on t.application_id = $1 and t.transaction_id = p.subject_id
     left join proposed_changes f on p.kind in ('fund', 'move', 'correct', 'withdraw', 'fees_out') and f.application_id = $1 and f.change_id = p.subject_id
     left join people n on n.person_id = f.proposed_by left join people d on d.person_id = f.decided_by
     order by p.at, p.subject_id, p.kind`
}

/** One page of the postings of some days, in order of time. */
export async function selectLines(
  queryable: Queryable,
  { applicationId, businessZone }: BusinessTime,
  request: LinesRequest,
): Promise<LineRow[]> {
  const { operator, from, to, kind, offset, limit } = request
  const { rows } = await queryable.query<LineRow>(linesOf(kind), [applicationId, operator, from, to, businessZone, offset, limit])
  return rows
}

/** The same through a cursor of the caller's transaction, some at a time: they are sorted once, however many there are. */
export async function* walkLines(
  snapshot: Queryable,
  { applicationId, businessZone }: BusinessTime,
  { operator, from, to, kind, offset, limit }: LinesRequest,
  batchRows: number,
): AsyncGenerator<LineRow[], void, undefined> {
  await snapshot.query(`declare statement_lines no scroll cursor for ${linesOf(kind)}`, [
    applicationId,
    operator,
    from,
    to,
    businessZone,
    offset,
    limit,
  ])
  for (;;) {
    const { rows } = await snapshot.query<LineRow>(`fetch ${batchRows} from statement_lines`)
    if (rows.length > 0) yield rows
    if (rows.length < batchRows) return
  }
}

/**
 * The balances at one operator, in hundredths of its currency. Held money is not part of `depositMinor`. `earnedFeesMinor`: the application's share of
 * the fees, as long as nobody has taken it out; it is in none of the others.
 */
export type Balance = { operator: OperatorCode; collectMinor: bigint; depositMinor: bigint; heldMinor: bigint; earnedFeesMinor: bigint }

/** The live balances of an application, one row per operator that has any. */
export async function selectBalances(queryable: Queryable, applicationId: string): Promise<Balance[]> {
  const { rows } = await queryable.query<Balance>({
    name: 'select_balances',
    text: `select operator, collect_minor as "collectMinor", deposit_minor as "depositMinor", held_minor as "heldMinor",
        fees_minor as "earnedFeesMinor" from ledger_balances where application_id = $1`,
    values: [applicationId],
  })
  return rows
}
