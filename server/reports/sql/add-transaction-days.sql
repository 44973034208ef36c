-- Adds the next transactions of an application to transaction_days, at most p_limit of each list, and returns how many it added: those that were
-- created, which count as PENDING, and those that ended. Sequences have no gaps and commit in order, so what is read up to the highest one is
-- complete. A second run waits for the mark and continues after it.
create or replace function add_transaction_days(p_application uuid, p_limit bigint) returns bigint
language plpgsql volatile set enable_seqscan = off set enable_sort = off set jit = off
set search_path from current as $$
declare
  v_from transaction_day_marks;
  v_until transaction_day_marks;
begin
  insert into transaction_day_marks (application_id, created_until, success_until, failed_until) values (p_application, 0, 0, 0) on conflict do nothing;
  select * into v_from from transaction_day_marks m where m.application_id = p_application for no key update;
  select c.application_id, least(c.transaction_count, v_from.created_until + p_limit), least(c.success_count, v_from.success_until + p_limit),
         least(c.failed_count, v_from.failed_until + p_limit)
    into v_until from application_counters c where c.application_id = p_application;
  if v_until.application_id is null or v_until = v_from then return 0; end if;
  insert into transaction_days as d (application_id, day, operator, type, status, transaction_count, amount_minor)
    select p_application, n.day, n.operator, n.type, n.status, n.transaction_count, n.amount_minor
      from day_changes_between(v_from, v_until) n
      where n.transaction_count <> 0 or n.amount_minor <> 0
      order by n.status, n.day, n.operator, n.type
    on conflict (application_id, status, day, operator, type) do update
      set transaction_count = d.transaction_count + excluded.transaction_count, amount_minor = d.amount_minor + excluded.amount_minor;
  update transaction_day_marks m
    set created_until = v_until.created_until, success_until = v_until.success_until, failed_until = v_until.failed_until
    where m.application_id = p_application;
  return v_until.created_until - v_from.created_until + v_until.success_until - v_from.success_until + v_until.failed_until - v_from.failed_until;
end $$;
