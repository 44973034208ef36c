-- Takes contradictions about which the operator is due to be queried, at most p_per_operator of each operator, and moves
-- their next try p_pause_ms ahead: what a dead process held becomes due again.
create or replace function claim_contradiction_queries(p_operators text[], p_per_operator integer, p_pause_ms integer)
returns table (application_id uuid, transaction_id uuid, operator text, tries integer, type text, operator_token text)
language plpgsql volatile set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set jit = off
set search_path from current as $$
#variable_conflict use_column
begin
  return query
  with due as materialized (
    select q.application_id, q.transaction_id
      from unnest(p_operators) as requested (operator)
      cross join lateral (
        select o.application_id, o.transaction_id from contradiction_queries o
          where o.operator = requested.operator and o.next_at <= clock_timestamp()
          order by o.next_at limit p_per_operator for update skip locked
      ) q
  ), claimed as (
    update contradiction_queries q
      set tries = q.tries + 1, next_at = clock_timestamp() + p_pause_ms * interval '1 millisecond'
      from due d
      where q.application_id = d.application_id and q.transaction_id = d.transaction_id
      returning q.application_id, q.transaction_id, q.operator, q.tries
  )
  select c.application_id, c.transaction_id, c.operator, c.tries::integer, t.type, t.operator_token
    from claimed c
    cross join lateral (select n.* from transactions n where n.application_id = c.application_id and n.transaction_id >= c.transaction_id
                        order by n.transaction_id limit 1) t
    where t.transaction_id = c.transaction_id;
end $$;
