create or replace function note_application_change() returns trigger language plpgsql
set search_path from current as $$
begin
  insert into application_versions (application_id)
    select distinct application_id from changed_rows
    on conflict (application_id) do update set changed_xid = pg_current_xact_id();
  return null;
end $$;
