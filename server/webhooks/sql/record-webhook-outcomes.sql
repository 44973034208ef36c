-- Records the outcomes of attempts. resend_number is null for an attempt of the schedule; `number` is then the attempt, otherwise
-- the claim of the resend. A 200 ends the delivery, also the 200 to a resend and one that arrives after the lease: an
-- attempt that was recorded as interrupted is corrected. A failure counts only for the attempt that is current, and a failed
-- resend changes nothing but its own row. A first attempt that delivers is stored in its delivery, any other in a row of its own.
-- spread_ms is added to the pause before the next attempt; waited_ms is how long after its due time the attempt started.
create or replace function record_webhook_outcomes(p_items json, p_gaps_ms integer[]) returns void
language plpgsql volatile set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set jit = off
set search_path from current as $$
declare
  v_at timestamptz := clock_timestamp();
begin
  with item as materialized (
    select i.*, i.outcome = 'delivered' as is_delivered
      from json_to_recordset(p_items) as i (application_id uuid, transaction_id uuid, resend_number integer, number smallint,
        started_at timestamptz, duration_ms integer, outcome text, http_status integer, detail text, waited_ms integer, spread_ms integer,
        first_byte_ms integer, response_start text)
      -- One row for the planner (start-transactions.sql).
      where i.number = i.number + 0
  ), resend as (
    update webhook_resends r
      set started_at = i.started_at, duration_ms = i.duration_ms, outcome = i.outcome, http_status = i.http_status, detail = i.detail,
          waited_ms = i.waited_ms, first_byte_ms = i.first_byte_ms, response_start = i.response_start
      from item i
      where i.resend_number is not null
        and r.application_id = i.application_id and r.transaction_id = i.transaction_id and r.number = i.resend_number
        and case when i.is_delivered then r.outcome is distinct from 'delivered'
                 else r.claims = i.number and (r.outcome is null or r.outcome = 'interrupted') end
  ), news as materialized (
    -- One row per delivery: a 200 decides, before any failure that is recorded with it.
    select distinct on (i.application_id, i.transaction_id) i.application_id, i.transaction_id, i.resend_number, i.number, i.is_delivered, i.spread_ms,
           i.is_delivered and i.resend_number is null and i.number = 1 and i.detail is null as is_first, i.started_at, i.duration_ms, i.waited_ms,
           i.first_byte_ms, i.response_start
      from item i
      where i.is_delivered or i.resend_number is null
      order by i.application_id, i.transaction_id, i.is_delivered desc, i.number desc
  ), moved as (
    update webhook_deliveries d
      set state = case when n.is_delivered then 'delivered' when n.number >= 4 then 'exhausted' else 'due' end,
          next_at = case when n.is_delivered or n.number >= 4 then d.next_at
                         else v_at + (p_gaps_ms[n.number] + n.spread_ms) * interval '1 millisecond' end,
          claimed_until = null,
          finished_at = case when n.is_delivered or n.number >= 4 then v_at end,
          -- Without its claim, the attempt has a row, which says that it was interrupted.
          (first_started_at, first_duration_ms, first_waited_ms, first_byte_ms, first_response_start)
            = (select n.started_at, n.duration_ms, n.waited_ms, n.first_byte_ms, n.response_start
                 where n.is_first and d.attempts = 1 and d.claimed_until is not null)
      from news n
      where d.application_id = n.application_id and d.transaction_id = n.transaction_id
        and ((n.is_delivered and d.state <> 'delivered') or (not n.is_delivered and d.state = 'due' and d.attempts = n.number))
      returning d.transaction_id, d.first_started_at is not null as is_first_stored
  )
  insert into webhook_attempts as a (application_id, transaction_id, number, started_at, duration_ms, outcome, http_status, detail, waited_ms,
                                      first_byte_ms, response_start)
    select i.application_id, i.transaction_id, i.number, i.started_at, i.duration_ms, i.outcome, i.http_status, i.detail, i.waited_ms,
           i.first_byte_ms, i.response_start
      from item i
      where i.resend_number is null
        and (i.number > 1 or not i.is_delivered or i.transaction_id not in (select m.transaction_id from moved m where m.is_first_stored))
    on conflict (application_id, transaction_id, number) do update
      set started_at = excluded.started_at, duration_ms = excluded.duration_ms, outcome = excluded.outcome,
          http_status = excluded.http_status, detail = excluded.detail, waited_ms = excluded.waited_ms,
          first_byte_ms = excluded.first_byte_ms, response_start = excluded.response_start
      where a.outcome = 'interrupted';
end $$;
