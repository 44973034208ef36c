-- The changes of transaction_days from one mark of an application to a later one: plus one PENDING for each transaction that was created, and
-- from PENDING to its result for each that ended. In plpgsql, so that its plan is its own. The order
-- of each list leaves the planner only the index of its sequence (start-transactions.sql).
create or replace function day_changes_between(p_from transaction_day_marks, p_until transaction_day_marks)
returns table (day date, operator text, type text, status text, transaction_count bigint, amount_minor bigint)
language plpgsql stable rows 50 set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
  set enable_mergejoin = off set enable_sort = off set jit = off
set search_path from current as $$
#variable_conflict use_column
begin
  return query
  select (m.created_at at time zone 'UTC')::date, m.operator, m.type, v.status, sum(v.sign)::bigint, sum(v.sign * m.amount_minor)::bigint
    from (
      (select t.created_at, t.operator, t.type, t.amount_minor, null as result from transactions t
        where t.application_id = p_from.application_id and t.sequence > p_from.created_until and t.sequence <= p_until.created_until
        order by t.sequence)
      union all
      (select t.created_at, t.operator, t.type, t.amount_minor, 'SUCCESS' from final_transactions t
        where t.application_id = p_from.application_id and t.to_status = 'SUCCESS'
          and t.final_sequence > p_from.success_until and t.final_sequence <= p_until.success_until
        order by t.final_sequence)
      union all
      (select t.created_at, t.operator, t.type, t.amount_minor, 'FAILED' from final_transactions t
        where t.application_id = p_from.application_id and t.to_status = 'FAILED'
          and t.final_sequence > p_from.failed_until and t.final_sequence <= p_until.failed_until
        order by t.final_sequence)
    ) m
    cross join lateral (values ('PENDING', case when m.result is null then 1 else -1 end), (m.result, 1)) v (status, sign)
    where v.status is not null
    group by 1, 2, 3, 4;
end $$;
