-- Adds the fees of the next transactions that succeeded, at most p_limit of them, and returns how many it added. Final sequences have no
-- gaps and commit in order, so what is read up to the highest one is complete. A second run waits for the mark and continues after it.
create or replace function add_fee_days(p_application uuid, p_limit bigint) returns bigint
language plpgsql volatile set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_sort = off set jit = off
set search_path from current as $$
declare
  v_from bigint;
  v_until bigint;
begin
  insert into fee_marks (application_id, added_until) values (p_application, 0) on conflict do nothing;
  select m.added_until into v_from from fee_marks m where m.application_id = p_application for no key update;
  select least(c.success_count, v_from + p_limit) into v_until from application_counters c where c.application_id = p_application;
  if v_until is null or v_until <= v_from then return 0; end if;
  insert into fee_days as f (application_id, day, operator, type, fee_system_minor, fee_app_minor)
    select t.application_id, (t.created_at at time zone 'UTC')::date, t.operator, t.type, sum(t.fee_system_minor), sum(t.fee_app_minor)
      from (select s.* from final_transactions s
              where s.application_id = p_application and s.to_status = 'SUCCESS' and s.final_sequence > v_from and s.final_sequence <= v_until
              order by s.final_sequence) t
      group by 1, 2, 3, 4
    on conflict (application_id, day, operator, type) do update
      set fee_system_minor = f.fee_system_minor + excluded.fee_system_minor, fee_app_minor = f.fee_app_minor + excluded.fee_app_minor;
  update fee_marks m set added_until = v_until where m.application_id = p_application;
  return v_until - v_from;
end $$;
