import { addDays, FIRST_DAY, LAST_DAY, type OpenRange, type UtcDay } from '#lib/time.ts'
import type { Queryable } from '#server/database/pool.ts'

/** Where sums over a range of days are read: whole sealed months, and the ranges of days between them. */
export type RollUpRanges = { months: UtcDay[]; fromDays: UtcDay[]; toDays: UtcDay[] }

/**
 * The whole months of a range that are sealed for the application, in order, by their first days; and the ranges of days that they leave.
 * @param splitDays A sealed month that one of these days divides is left to the days.
 */
export async function selectRollUpRanges(
  queryable: Queryable,
  applicationId: string,
  { from, to }: OpenRange,
  splitDays: readonly UtcDay[] = [],
): Promise<RollUpRanges> {
  const { rows } = await queryable.query<{ month: UtcDay; next: UtcDay }>({
    name: 'select_roll_up_ranges',
    // One descent of the key per month, instead of every row of it.
    text: `with recursive found as (
       (select month from sealed_operator_months where application_id = $1 and month >= $2::date order by month limit 1)
       union all
       select (select m.month from sealed_operator_months m where m.application_id = $1 and m.month > f.month order by m.month limit 1)
         from found f where f.month is not null)
     select month, (month + interval '1 month')::date as next from found
     where month is not null and (month + interval '1 month')::date - 1 <= $3::date`,
    values: [applicationId, from ?? FIRST_DAY, to ?? LAST_DAY],
  })
  const whole = rows.filter(({ month, next }) => !splitDays.some((day) => month < day && day < next))
  const ranges: RollUpRanges = { months: whole.map((row) => row.month), fromDays: [], toDays: [] }
  let begin = from ?? FIRST_DAY
  for (const { month, next } of whole) {
    if (begin < month) addRange(ranges, begin, addDays(month, -1))
    begin = next
  }
  if (begin <= (to ?? LAST_DAY)) addRange(ranges, begin, to ?? LAST_DAY)
  return ranges
}

/** The same range read from days alone. */
export function daysOnly({ from, to }: OpenRange): RollUpRanges {
  return { months: [], fromDays: [from ?? FIRST_DAY], toDays: [to ?? LAST_DAY] }
}

function addRange(ranges: RollUpRanges, from: UtcDay, to: UtcDay): void {
  ranges.fromDays.push(from)
  ranges.toDays.push(to)
}
