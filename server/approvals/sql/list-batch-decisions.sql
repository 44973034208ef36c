-- Returns who decided on a batch and when, in order. Every decision on a batch has one time for all of its rows, so each is found by one
-- descent of an index, however many rows there are.
create or replace function list_batch_decisions(p_application uuid, p_batch uuid)
returns table (checker_id uuid, decided_at timestamptz) language sql stable
set search_path from current as $$
  with recursive decision (checker_id, decided_at) as (
    (select d.checker_id, d.decided_at from approval_decisions d
      where d.application_id = p_application and d.batch_id = p_batch order by d.decided_at limit 1)
    union all
    select n.checker_id, n.decided_at from decision p
      cross join lateral (select d.checker_id, d.decided_at from approval_decisions d
                          where d.application_id = p_application and d.batch_id = p_batch and d.decided_at > p.decided_at
                          order by d.decided_at limit 1) n
  )
  select checker_id, decided_at from decision
$$;
