-- Counts what of the sealed postings of an application belongs to another day in a zone; from then on sealing adds to it.
create or replace function count_ledger_edges(p_application uuid, p_time_zone text) returns void language plpgsql volatile
set search_path from current as $$
declare
  v_until timestamptz;
begin
  select s.sealed_until into v_until from ledger_seal s for update;
  if exists (select from day_zones z where z.application_id = p_application and z.time_zone = p_time_zone and z.is_ledger_counted) then
    return;
  end if;
  delete from ledger_day_edges where application_id = p_application and time_zone = p_time_zone;
  perform add_ledger_edges(p_application, p_time_zone, '-infinity', v_until);
  update day_zones set is_ledger_counted = true where application_id = p_application and time_zone = p_time_zone;
end $$;
