-- Begins the attempts of webhooks that claim_webhooks locked: p_resends has 0 for a delivery and the number of the resend
-- otherwise. An attempt whose lease ended without an outcome was interrupted. The action follows from that:
--   send     the attempt is counted and leased for p_lease_ms
--   wait     a delivery was interrupted: its next attempt keeps the pause of the schedule, of which the lease is a part
--   give_up  the fourth attempt was interrupted
-- The lease of a delivery is in `claimed_until`, which no index has, so that its row stays in its page.
-- Returns the webhooks to send. Amounts and times are text, because JSON has no form for them.
create or replace function start_webhook_attempts(p_applications uuid[], p_transactions uuid[], p_resends integer[], p_at timestamptz,
  p_lease_ms integer, p_gaps_ms integer[])
returns table (application_id uuid, transaction_id uuid, resend_number integer, number integer, target text, url text, external_id text,
  status text, amount_minor text, phone_number text, operator text, message text, final_at text, due_at text)
language plpgsql volatile set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set jit = off
set search_path from current as $$
#variable_conflict use_column
declare
  v_lease interval := p_lease_ms * interval '1 millisecond';
begin
  return query
  with claimed as materialized (
    select u.application_id, u.transaction_id, u.resend_number, u.position
      from unnest(p_applications, p_transactions, p_resends) with ordinality as u (application_id, transaction_id, resend_number, position)
      -- One row for the planner (start-transactions.sql).
      where u.position = u.position + 0
  ), claims as materialized (
    select c.application_id, c.transaction_id, c.resend_number, c.position, d.target, d.attempts, d.next_at, d.claimed_until as lease_ends_at,
           d.attempts > 0 and not exists (select 1 from webhook_attempts a
             where a.application_id = d.application_id and a.transaction_id = d.transaction_id and a.number = d.attempts) as is_interrupted
      from claimed c join webhook_deliveries d on d.application_id = c.application_id and d.transaction_id = c.transaction_id
      where c.resend_number = 0
    union all
    select c.application_id, c.transaction_id, c.resend_number, c.position, r.target, r.claims, r.next_at, r.next_at, r.claims > 0
      from claimed c join webhook_resends r
        on r.application_id = c.application_id and r.transaction_id = c.transaction_id and r.number = c.resend_number
      where c.resend_number > 0
  ), judged as materialized (
    select t.*, case when not t.is_interrupted then 'send'
                     when t.attempts >= 4 then 'give_up'
                     when t.resend_number = 0 and p_gaps_ms[t.attempts] > p_lease_ms then 'wait'
                     else 'send' end as action
      from claims t
  ), interrupted as (
    insert into webhook_attempts (application_id, transaction_id, number, started_at, duration_ms, outcome, detail)
      select j.application_id, j.transaction_id, j.attempts, j.lease_ends_at - v_lease, 0, 'interrupted',
             'The service stopped during this attempt; whether the receiver answered is not known.'
        from judged j where j.resend_number = 0 and j.is_interrupted
      on conflict do nothing
  ), moved_deliveries as (
    update webhook_deliveries d
      set state = case j.action when 'give_up' then 'exhausted' else 'due' end,
          attempts = d.attempts + case j.action when 'send' then 1 else 0 end,
          claimed_until = case j.action when 'send' then p_at + v_lease end,
          next_at = case j.action when 'wait' then j.lease_ends_at + (p_gaps_ms[j.attempts] - p_lease_ms) * interval '1 millisecond'
                                  else d.next_at end,
          finished_at = case j.action when 'give_up' then p_at end
      from judged j
      where j.resend_number = 0 and d.application_id = j.application_id and d.transaction_id = j.transaction_id
  ), moved_resends as (
    update webhook_resends r
      set claims = r.claims + case j.action when 'send' then 1 else 0 end,
          next_at = case j.action when 'send' then p_at + v_lease else r.next_at end,
          started_at = case j.action when 'give_up' then j.next_at - v_lease end,
          duration_ms = case j.action when 'give_up' then 0 end,
          outcome = case j.action when 'give_up' then 'interrupted' end,
          detail = case j.action when 'give_up' then 'The service stopped during this resend four times; whether the receiver answered is not known.' end
      from judged j
      where j.resend_number > 0
        and r.application_id = j.application_id and r.transaction_id = j.transaction_id and r.number = j.resend_number
  )
  select j.application_id, j.transaction_id, nullif(j.resend_number, 0), j.attempts + 1, j.target, t.webhook_url, t.external_id::text,
         t.status, t.amount_minor::text, t.phone_number, t.operator, t.message,
         to_char(t.final_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
         to_char(case when j.is_interrupted then j.lease_ends_at else j.next_at end at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
    from judged j
    -- Found in this way, a plan that was made while the table was empty reads one row of the primary key, and not all of an application.
    cross join lateral (select n.* from transactions n where n.application_id = j.application_id and n.transaction_id >= j.transaction_id
                        order by n.transaction_id limit 1) t
    where j.action = 'send' and t.transaction_id = j.transaction_id
    order by j.position;
end $$;
