-- Stores the answers to forced enquiries. The schedule of a row stays; at most it comes due now. `not_found` decides nothing;
-- any answer that shows that the operator has the transfer keeps it from being sent again, as in store-operator-answers.sql.
create or replace function store_forced_enquiries(p_items json)
returns void
language plpgsql volatile set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set jit = off
set search_path from current as $$
#variable_conflict use_column
begin
  with item as materialized (
    select i.*, i.outcome in ('pending', 'succeeded', 'failed') as proves_receipt
      from json_to_recordset(p_items) as i (application_id uuid, transaction_id uuid, number integer, outcome text,
        http_status integer, answer text, duration_ms integer, needs_query boolean)
      -- One row for the planner (start-transactions.sql).
      where i.number = i.number + 0
  ), attempt as (
    insert into operator_attempts (application_id, transaction_id, number, kind, started_at, finished_at, outcome, http_status, answer)
      select i.application_id, i.transaction_id, i.number, 'query', clock_timestamp() - i.duration_ms * interval '1 millisecond', clock_timestamp(),
             i.outcome, i.http_status, i.answer
        from item i
  ), locked as materialized (
    -- Final answers too: the row may be queued again, and must not be sent before the transition that follows removes it.
    select w.application_id, w.transaction_id, bool_or(i.needs_query) as needs_query, bool_or(i.proves_receipt) as proves_receipt
      from (select w.application_id, w.transaction_id from operator_work w
              join item i on w.application_id = i.application_id and w.transaction_id = i.transaction_id
              where i.needs_query or (i.proves_receipt and (w.accepted_at is null or w.state in ('queued', 'paused')))
              order by w.application_id, w.transaction_id for update of w) w
      join item i on w.application_id = i.application_id and w.transaction_id = i.transaction_id
      group by w.application_id, w.transaction_id
  )
  update operator_work w
    set accepted_at = case when l.proves_receipt then coalesce(w.accepted_at, clock_timestamp()) else w.accepted_at end,
        state = case when l.proves_receipt and w.state in ('queued', 'paused') then 'submitted' else w.state end,
        next_at = case when not w.is_claimed and ((l.needs_query and w.state in ('submitted', 'unconfirmed')) or (l.proves_receipt and w.state in ('queued', 'paused')))
                       then least(w.next_at, clock_timestamp()) else w.next_at end
    from locked l
    where w.application_id = l.application_id and w.transaction_id = l.transaction_id;
end $$;
