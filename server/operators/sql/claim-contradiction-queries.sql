-- Takes queries that are due, at most p_per_operator of each operator, and moves their next try ahead, twice as far each time (p_pause_ms
-- the first time): what a dead process held becomes due again. The applications take turns at each operator; of one application,
-- contradictions come first, then hints, then second looks.
create or replace function claim_contradiction_queries(p_operators text[], p_per_operator integer, p_pause_ms integer)
returns table (application_id uuid, transaction_id uuid, kind text, operator text, tries integer, type text, operator_reference text,
               operator_token text, amount_minor bigint, currency text, phone_number text)
language plpgsql volatile set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set jit = off
set search_path from current as $$
#variable_conflict use_column
begin
  return query
  with recursive present (operator, application_id) as (
    -- Each application that has queries at an operator: one step along the index for each.
    select r.operator, (select q.application_id from contradiction_queries q
                          where q.operator = r.operator and q.ended_at is null order by q.application_id limit 1)
      from unnest(p_operators) as r (operator)
    union all
    select p.operator, (select q.application_id from contradiction_queries q
                          where q.operator = p.operator and q.ended_at is null and q.application_id > p.application_id
                          order by q.application_id limit 1)
      from present p where p.application_id is not null
  ), candidate as materialized (
    select p.operator, d.application_id, d.transaction_id, d.kind,
           row_number() over (partition by p.operator, p.application_id order by k.place, d.next_at) as turn, d.next_at
      from present p
      cross join (values ('contradiction', 1), ('hint', 2), ('hour_look', 3), ('day_look', 4)) as k (kind, place)
      cross join lateral (
        select q.application_id, q.transaction_id, q.kind, q.next_at from contradiction_queries q
          where q.operator = p.operator and q.application_id = p.application_id and q.kind = k.kind and q.ended_at is null
            and q.next_at <= clock_timestamp()
          order by q.next_at limit p_per_operator
      ) d
      where p.application_id is not null
  ), chosen as materialized (
    select c.application_id, c.transaction_id, c.kind
      from (select n.*, row_number() over (partition by n.operator order by n.turn, n.next_at) as place from candidate n) c
      where c.place <= p_per_operator
  ), due as materialized (
    select o.application_id, o.transaction_id, o.kind from chosen c
      cross join lateral (select q.application_id, q.transaction_id, q.kind from contradiction_queries q
        where q.application_id = c.application_id and q.transaction_id = c.transaction_id and q.kind = c.kind
          and q.ended_at is null and q.next_at <= clock_timestamp()
        for update skip locked) o
  ), claimed as (
    update contradiction_queries q
      set tries = q.tries + 1, next_at = clock_timestamp() + p_pause_ms * power(2, q.tries) * interval '1 millisecond'
      from due d
      where q.application_id = d.application_id and q.transaction_id = d.transaction_id and q.kind = d.kind
      returning q.application_id, q.transaction_id, q.kind, q.operator, q.tries
  )
  select c.application_id, c.transaction_id, c.kind, c.operator, c.tries::integer, t.type, t.operator_reference, t.operator_token,
         t.amount_minor, t.currency, t.phone_number
    from claimed c
    cross join lateral (select n.* from transactions n where n.application_id = c.application_id and n.transaction_id >= c.transaction_id
                        order by n.transaction_id limit 1) t
    where t.transaction_id = c.transaction_id;
end $$;
