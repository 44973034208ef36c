-- Undoes claims of which nothing was sent: their attempt numbers are free again, and each keeps its place in its receiver's queue.
create or replace function return_webhooks(p_items json) returns void
language plpgsql volatile set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set jit = off
set search_path from current as $$
begin
  with item as materialized (
    select i.* from json_to_recordset(p_items) as i (application_id uuid, transaction_id uuid, resend_number integer, number smallint, due_at timestamptz)
      -- One row for the planner (start-transactions.sql).
      where i.number = i.number + 0
  ), returned_resends as (
    update webhook_resends r set claims = r.claims - 1, next_at = least(i.due_at, clock_timestamp())
      from item i
      where i.resend_number is not null and r.outcome is null and r.claims = i.number
        and r.application_id = i.application_id and r.transaction_id = i.transaction_id and r.number = i.resend_number
  )
  update webhook_deliveries d set attempts = d.attempts - 1, claimed_until = null
    from item i
    where i.resend_number is null and d.state = 'due' and d.attempts = i.number
      and d.application_id = i.application_id and d.transaction_id = i.transaction_id;
end $$;
