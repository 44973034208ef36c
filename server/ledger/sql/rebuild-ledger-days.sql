-- Rebuilds the days of an application from its postings.
create or replace function rebuild_ledger_days(p_application uuid) returns void language plpgsql volatile
set search_path from current as $$
declare
  v_until timestamptz;
begin
  select s.sealed_until into v_until from ledger_seal s for update;
  delete from ledger_days where application_id = p_application;
  delete from ledger_day_edges where application_id = p_application;
  perform add_ledger_days(p_application, '-infinity', v_until);
end $$;
