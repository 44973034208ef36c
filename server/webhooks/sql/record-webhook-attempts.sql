-- Writes down what became of attempts. A 200 ends the delivery also when it arrives after the lease: what was taken for
-- interrupted is corrected. A failure only counts for the attempt that is current.
-- `spread_ms` is added to the pause before the next attempt; `waited_ms` is how long after its due time the attempt began.
create or replace function record_webhook_attempts(p_items json, p_gaps_ms integer[]) returns void
language plpgsql volatile set enable_seqscan = off set jit = off
set search_path from current as $$
declare
  v_at timestamptz := clock_timestamp();
begin
  with item as materialized (
    select i.*, i.outcome = 'delivered' as is_delivered
      from json_to_recordset(p_items) as i (app uuid, id uuid, number smallint, started_at timestamptz, duration_ms integer,
        outcome text, http_status integer, detail text, waited_ms integer, spread_ms integer)
  ), attempt as (
    insert into webhook_attempts as a (application_id, transaction_id, number, started_at, duration_ms, outcome, http_status, detail, waited_ms)
      select i.app, i.id, i.number, i.started_at, i.duration_ms, i.outcome, i.http_status, i.detail, i.waited_ms from item i
      on conflict (application_id, transaction_id, number) do update
        set started_at = excluded.started_at, duration_ms = excluded.duration_ms, outcome = excluded.outcome,
            http_status = excluded.http_status, detail = excluded.detail, waited_ms = excluded.waited_ms
        where a.outcome = 'interrupted'
  )
  update webhook_deliveries d
    set state = case when i.is_delivered then 'delivered' when i.number >= 4 then 'exhausted' else 'due' end,
        next_at = case when i.is_delivered or i.number >= 4 then d.next_at
                       else v_at + (p_gaps_ms[i.number] + coalesce(i.spread_ms, 0)) * interval '1 millisecond' end,
        finished_at = case when i.is_delivered or i.number >= 4 then v_at end
    from item i
    where d.application_id = i.app and d.transaction_id = i.id
      and ((i.is_delivered and d.state <> 'delivered') or (d.state = 'due' and d.attempts = i.number));
end $$;
