import { addDays, FIRST_DAY, LAST_DAY, type UtcDay } from '#lib/time.ts'
import type { Queryable } from '#server/database/pool.ts'

/** A range of days, both ends included; null is open. */
export type DayRange = { from: UtcDay | null; to: UtcDay | null }

/** Where sums are read: whole months that are sealed, and the stretches of days between them. */
export type Source = { months: UtcDay[]; fromDays: UtcDay[]; toDays: UtcDay[] }

/**
 * The whole months of a range that are sealed for the application, in order, by their first days; and what they leave of the range.
 * No month goes across a day of `cuts`: where one lies inside a month, that month is left to the days.
 */
export async function selectSource(
  queryable: Queryable,
  applicationId: string,
  { from, to }: DayRange,
  cuts: readonly UtcDay[] = [],
): Promise<Source> {
  const { rows } = await queryable.query<{ month: UtcDay; next: UtcDay }>({
    name: 'select_roll_up_source',
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
  const whole = rows.filter(({ month, next }) => !cuts.some((cut) => month < cut && cut < next))
  const source: Source = { months: whole.map((row) => row.month), fromDays: [], toDays: [] }
  let begin = from ?? FIRST_DAY
  for (const { month, next } of whole) {
    if (begin < month) addStretch(source, begin, addDays(month, -1))
    begin = next
  }
  if (begin <= (to ?? LAST_DAY)) addStretch(source, begin, to ?? LAST_DAY)
  return source
}

/** The days of a range one by one, with no sealed months among them. */
export function daysOnly({ from, to }: DayRange): Source {
  return { months: [], fromDays: [from ?? FIRST_DAY], toDays: [to ?? LAST_DAY] }
}

function addStretch(source: Source, from: UtcDay, to: UtcDay): void {
  source.fromDays.push(from)
  source.toDays.push(to)
}
