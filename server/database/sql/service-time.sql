-- The instant that new rows carry: the database's clock. Only a sandbox that writes its history differs. Its transaction sets
-- countersign.simulated_time to the instant that the history has reached, and an item of a batch may then carry an instant of its own
-- (p_at). In any other database, and without that setting, an explicit time is an error: nobody can backdate a payment.
create or replace function service_time(p_at timestamptz default null) returns timestamptz language plpgsql volatile
set search_path from current as $$
declare
  v_simulated_time text := nullif(current_setting('countersign.simulated_time', true), '');
begin
  if v_simulated_time is null and p_at is null then
    return clock_timestamp();
  end if;
  if v_simulated_time is null or not exists (select from installation where mode = 'sandbox') then
    raise exception 'only a sandbox that writes its history can set a time' using errcode = 'insufficient_privilege';
  end if;
  return coalesce(p_at, v_simulated_time::timestamptz);
end $$;
