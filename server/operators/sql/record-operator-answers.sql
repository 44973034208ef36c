-- Writes down what the operators answered and when to ask next. Gives back the places of the answers that still count:
-- an answer to a submission counts while the row is in that very submission, an answer to a query as long as the row is
-- not in a later one. Final answers change nothing here: the transition that follows removes the row.
create or replace function record_operator_answers(p_items json, p_absence_ms integer, p_accepted_absence_ms integer, p_hint_gap_ms integer)
returns table (place integer)
language plpgsql volatile set enable_seqscan = off set jit = off
set search_path from current as $$
#variable_conflict use_column
begin
  return query
  with item as materialized (
    select i.* from json_to_recordset(p_items) as i (place integer, app uuid, id uuid, number integer, kind text,
      submission integer, outcome text, http_status integer, answer text, duration_ms integer, delay_ms bigint,
      requeue_ms bigint, reference text, token text)
  ), noted as (
    insert into operator_attempts (application_id, transaction_id, number, kind, started_at, finished_at, outcome, http_status, answer)
      select i.app, i.id, i.number, i.kind, clock_timestamp() - i.duration_ms * interval '1 millisecond', clock_timestamp(),
             i.outcome, i.http_status, i.answer
        from item i
      on conflict (application_id, transaction_id, number) do update
        set finished_at = excluded.finished_at, outcome = excluded.outcome, http_status = excluded.http_status, answer = excluded.answer
  ), current as materialized (
    select w.application_id, w.transaction_id, i.place, i.outcome
      from operator_work w join item i on w.application_id = i.app and w.transaction_id = i.id
      where case i.kind when 'submit' then w.state = 'submitting' else w.state in ('submitted', 'unconfirmed', 'queued') end
        and w.submissions = i.submission
  ), held as materialized (
    -- In one order, so that two batches wait for each other instead of blocking each other; and not the rows that a
    -- transition is about to remove, which takes them in an order of its own.
    select w.application_id, w.transaction_id, c.place, w.absent_since, clock_timestamp() as now_at,
           case w.state when 'submitted' then p_accepted_absence_ms else p_absence_ms end as absence_ms
      from operator_work w join current c on w.application_id = c.application_id and w.transaction_id = c.transaction_id
      -- Once the row is queued again, only news of the transfer itself can keep it from being sent.
      where c.outcome not in ('succeeded', 'failed') and (w.state <> 'queued' or c.outcome = 'pending')
      order by w.application_id, w.transaction_id
      for update of w
  ), judged as materialized (
    select h.application_id, h.transaction_id, h.now_at, h.absence_ms, i.kind, i.outcome, i.answer, i.delay_ms, i.requeue_ms,
           i.reference, i.token, i.outcome in ('accepted', 'pending') as is_known,
           -- Twice the same word, with time in between: now it is believed.
           i.outcome = 'not_found' and coalesce(h.absent_since <= h.now_at - h.absence_ms * interval '1 millisecond', false) as is_absent
      from held h join item i on i.place = h.place
  ), moved as (
    update operator_work w
      set state = case
            when j.is_known then 'submitted'
            when j.kind = 'submit' then 'unconfirmed'
            when j.is_absent then 'queued'
            else w.state end,
          next_at = j.now_at + interval '1 millisecond' * case
            when j.is_absent then j.requeue_ms
            when j.outcome = 'not_found' then j.absence_ms
            when w.hinted_at is not null then least(p_hint_gap_ms, j.delay_ms)
            else j.delay_ms end,
          unconfirmed_since = case when j.is_known then null
            when j.kind = 'submit' or j.outcome = 'not_found' then coalesce(w.unconfirmed_since, j.now_at)
            else w.unconfirmed_since end,
          absent_since = case
            when j.outcome <> 'not_found' then case when j.is_known or j.kind = 'submit' then null else w.absent_since end
            when j.is_absent then null
            else coalesce(w.absent_since, j.now_at) end,
          -- A submission made again starts the schedule of its queries again.
          queries = case
            when j.is_absent then 0
            else w.queries + case j.kind when 'query' then 1 else 0 end end,
          is_claimed = false,
          last_answer = j.answer,
          operator_reference = coalesce(j.reference, w.operator_reference),
          operator_token = coalesce(j.token, w.operator_token)
      from judged j
      where w.application_id = j.application_id and w.transaction_id = j.transaction_id
  )
  select c.place from current c;
end $$;
