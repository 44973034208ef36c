-- Brings ledger_days up to an instant that no transaction still in progress can post before: a posting carries a time after
-- its transaction started, so the oldest one that writes is the limit. The margin is for clocks that are set back a little.
create or replace function seal_ledger_days(p_margin interval) returns timestamptz language plpgsql volatile
set search_path from current as $$
declare
  v_from timestamptz;
  v_until timestamptz;
begin
  select s.sealed_until into v_from from ledger_seal s for update;
  select least(clock_timestamp() - p_margin, min(a.xact_start)) into v_until
    from pg_stat_activity a
    where a.datname = current_database() and a.pid <> pg_backend_pid() and a.backend_xid is not null;
  select least(v_until, min(x.prepared)) into v_until from pg_prepared_xacts x where x.database = current_database();
  if v_until <= v_from then
    return v_from;
  end if;
  perform add_ledger_days(null, v_from, v_until);
  update ledger_seal set sealed_until = v_until;
  return v_until;
end $$;
