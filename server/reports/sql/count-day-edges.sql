-- Counts the next older transactions of an application for a zone, at most p_limit of them, and returns from which sequence on all are
-- counted: 1 if there are no more. The counters are locked, so none of them changes its status meanwhile.
create or replace function count_day_edges(p_application uuid, p_time_zone text, p_limit bigint) returns bigint
language plpgsql volatile set enable_seqscan = off set enable_sort = off set jit = off
set search_path from current as $$
declare
  v_until bigint;
  v_from bigint;
begin
  perform from application_counters c where c.application_id = p_application for no key update;
  select z.counted_from into strict v_until from day_zones z where z.application_id = p_application and z.time_zone = p_time_zone;
  v_from := greatest(1, v_until - p_limit);
  if v_from = v_until then return v_from; end if;
  insert into transaction_day_edges as e (application_id, time_zone, status, day, business_day, operator, type, transaction_count,
      amount_minor, fee_system_minor, fee_app_minor)
    select t.application_id, p_time_zone, t.status, d.day, d.business_day, t.operator, t.type, count(*), sum(t.amount_minor),
           sum(t.fee_system_minor), sum(t.fee_app_minor)
      from (select s.* from transactions s
              where s.application_id = p_application and s.sequence >= v_from and s.sequence < v_until order by s.sequence) t
      cross join lateral (select (t.created_at at time zone 'UTC')::date, (t.created_at at time zone p_time_zone)::date) d (day, business_day)
      where d.day <> d.business_day
      group by 1, 2, 3, 4, 5, 6, 7
    on conflict (application_id, time_zone, status, day, business_day, operator, type) do update
      set transaction_count = e.transaction_count + excluded.transaction_count, amount_minor = e.amount_minor + excluded.amount_minor,
          fee_system_minor = e.fee_system_minor + excluded.fee_system_minor, fee_app_minor = e.fee_app_minor + excluded.fee_app_minor;
  update day_zones set counted_from = v_from where application_id = p_application and time_zone = p_time_zone;
  return v_from;
end $$;
