-- Undoes claims of which nothing was sent: their attempt numbers are free again, and each keeps its place in its receiver's queue.
create or replace function return_webhook_deliveries(p_items json) returns void
language plpgsql volatile set enable_seqscan = off set jit = off
set search_path from current as $$
begin
  update webhook_deliveries d set attempts = d.attempts - 1, next_at = least(i.due_at, clock_timestamp())
    from json_to_recordset(p_items) as i (app uuid, id uuid, number smallint, due_at timestamptz)
    where d.application_id = i.app and d.transaction_id = i.id and d.state = 'due' and d.attempts = i.number;
end $$;
