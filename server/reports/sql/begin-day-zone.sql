-- Starts to count the transactions of an application for a zone: new ones from now on, those before by count_day_edges. Does nothing but note
-- the use if counting has started already.
create or replace function begin_day_zone(p_application uuid, p_time_zone text) returns void language plpgsql volatile
set search_path from current as $$
declare
  v_count bigint;
begin
  select c.transaction_count into v_count from application_counters c where c.application_id = p_application for no key update;
  if exists (select from day_zones z where z.application_id = p_application and z.time_zone = p_time_zone and z.counted_from is not null) then
    update day_zones set last_used_at = clock_timestamp() where application_id = p_application and time_zone = p_time_zone;
    return;
  end if;
  delete from transaction_day_edges where application_id = p_application and time_zone = p_time_zone;
  insert into day_zones as z (application_id, time_zone, counted_from) values (p_application, p_time_zone, v_count + 1)
    on conflict (application_id, time_zone) do update set counted_from = excluded.counted_from, last_used_at = clock_timestamp();
end $$;
