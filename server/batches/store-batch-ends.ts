import type { Queryable } from '#server/database/pool.ts'

/**
 * Stores where the rows of submitted batches ended, once none of them can change any longer, so that lists do not count ten thousand rows of each
 * batch again. Returns how many batches were stored. Safe to repeat and to run in several processes: final rows never change.
 */
export async function storeBatchEnds(queryable: Queryable): Promise<number> {
  const { rowCount } = await queryable.query(
    `update batches b set places = p.places
     from (select o.application_id, o.batch_id, count_batch_places(o.application_id, o.batch_id) as places
           from batches o
           where o.state = 'submitted' and o.places is null
             and not exists (select from transactions t where t.application_id = o.application_id and t.batch_id = o.batch_id
                               and t.status in ('PENDING', 'PENDING_APPROVAL'))) p
     where b.application_id = p.application_id and b.batch_id = p.batch_id and p.places <> '{}'
       and not p.places ?| array['waiting', 'open']`,
  )
  return rowCount ?? 0
}
