-- Adds the next final transactions of an application, at most p_limit of each status, to the outcomes by hour, and returns how many it went
-- through. Final sequences have no gaps and commit in order, so what is read up to the highest one is complete. A second run waits for the
-- mark and continues after it. The hour and the time are counted from the first submission: what never went to an operator is left out.
-- p_causes names the messages in p_messages; any other message is `other`.
create or replace function add_operator_outcomes(p_application uuid, p_limit bigint, p_since timestamptz, p_messages text[], p_causes text[])
returns bigint
language plpgsql volatile set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_sort = off set jit = off
set search_path from current as $$
declare
  v_mark operator_outcome_marks;
  v_success bigint;
  v_failed bigint;
begin
  insert into operator_outcome_marks (application_id, success_until, failed_until) values (p_application, 0, 0) on conflict do nothing;
  select * into v_mark from operator_outcome_marks m where m.application_id = p_application for no key update;
  select least(c.success_count, v_mark.success_until + p_limit), least(c.failed_count, v_mark.failed_until + p_limit)
    into v_success, v_failed from application_counters c where c.application_id = p_application;
  if v_success is null or (v_success <= v_mark.success_until and v_failed <= v_mark.failed_until) then return 0; end if;
  with counted as materialized (
      select t.application_id, t.operator, t.type, date_trunc('hour', s.started_at, 'UTC') as hour,
             case when t.status = 'SUCCESS' then 'succeeded' else coalesce(p_causes[array_position(p_messages, t.message)], 'other') end as outcome,
             floor(ln(greatest(1, extract(epoch from t.final_at - s.started_at) * 1000)) / ln(1.2)) as bucket, count(*) as transaction_count, sum(t.amount_minor) as amount_minor
        from (
          (select f.* from final_transactions f
            where f.application_id = p_application and f.to_status = 'SUCCESS' and f.final_sequence > v_mark.success_until and f.final_sequence <= v_success
            order by f.final_sequence)
          union all
          (select f.* from final_transactions f
            where f.application_id = p_application and f.to_status = 'FAILED' and f.final_sequence > v_mark.failed_until and f.final_sequence <= v_failed
            order by f.final_sequence)
        ) t
        cross join lateral (
          select min(a.started_at) as started_at from operator_attempts a
            where a.application_id = t.application_id and a.transaction_id = t.transaction_id and a.kind = 'submit'
        ) s
        where t.final_at >= p_since and s.started_at >= p_since
        group by 1, 2, 3, 4, 5, 6
  ), flown as (
    -- In one order, because all applications share these rows.
    insert into operator_flows as f (operator, hour, out_minor, in_minor)
      select c.operator, c.hour, coalesce(sum(c.amount_minor) filter (where c.type = 'DEPOSIT'), 0),
             coalesce(sum(c.amount_minor) filter (where c.type = 'COLLECT'), 0)
        from counted c where c.outcome = 'succeeded' group by 1, 2 order by 1, 2
      on conflict (operator, hour) do update set out_minor = f.out_minor + excluded.out_minor, in_minor = f.in_minor + excluded.in_minor
  )
  insert into operator_outcomes as o (application_id, operator, type, hour, outcome, bucket, transaction_count)
    select c.application_id, c.operator, c.type, c.hour, c.outcome, c.bucket, c.transaction_count from counted c
    on conflict (application_id, operator, hour, type, outcome, bucket) do update
      set transaction_count = o.transaction_count + excluded.transaction_count;
  update operator_outcome_marks m set success_until = v_success, failed_until = v_failed where m.application_id = p_application;
  return v_success - v_mark.success_until + v_failed - v_mark.failed_until;
end $$;
