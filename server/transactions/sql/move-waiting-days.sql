-- Adds to transaction_days what transactions that wait for approval change there. Most batches have none and do not call this. p_deltas is an
-- array of rows of transaction_days. In the order of add_transaction_days, so that the two cannot deadlock.
create or replace function move_waiting_days(p_deltas jsonb) returns boolean language plpgsql volatile set jit = off
set search_path from current as $$
begin
  insert into transaction_days as t (application_id, day, operator, type, status, transaction_count, amount_minor)
    select d.application_id, d.day, d.operator, d.type, d.status, d.transaction_count, d.amount_minor
      from jsonb_to_recordset(p_deltas) as d (application_id uuid, day date, operator text, type text, status text, transaction_count bigint,
        amount_minor bigint)
      where d.transaction_count <> 0 or d.amount_minor <> 0
      order by d.application_id, d.status, d.day, d.operator, d.type
    on conflict (application_id, status, day, operator, type) do update
      set transaction_count = t.transaction_count + excluded.transaction_count, amount_minor = t.amount_minor + excluded.amount_minor;
  return true;
end $$;
