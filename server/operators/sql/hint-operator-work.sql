-- Callbacks: each makes the next query due at once and leaves its words among the attempts. While a call is under way the
-- hint is only remembered, and one unheeded hint is enough: a storm of callbacks costs one query. Rows that another
-- statement is changing at this moment are not waited for but returned with is_taken false, to be tried again.
--
-- A callback also proves that the operator has the transfer: a row that was about to be sent again is asked about instead.
create or replace function hint_operator_work(p_items json, p_gap_ms integer)
returns table (place integer, is_taken boolean)
language plpgsql volatile set enable_seqscan = off set jit = off
set search_path from current as $$
#variable_conflict use_column
begin
  return query
  with item as materialized (
    select i.* from json_to_recordset(p_items) as i (place integer, app uuid, id uuid, operator text, outcome text, answer text)
  ), waiting as materialized (
    select w.application_id, w.transaction_id, i.place, i.outcome, i.answer
      from operator_work w join item i on w.application_id = i.app and w.transaction_id = i.id and w.operator = i.operator
      where (w.state in ('submitting', 'submitted', 'unconfirmed') or (w.state = 'queued' and w.submissions > 0)) and w.hinted_at is null
  ), held as materialized (
    select w.application_id, w.transaction_id, w.attempts, n.place, n.outcome, n.answer
      from operator_work w join waiting n on w.application_id = n.application_id and w.transaction_id = n.transaction_id
      where w.hinted_at is null
      for update of w skip locked
  ), moved as (
    update operator_work w
      set hinted_at = clock_timestamp(), attempts = h.attempts + 1,
          accepted_at = coalesce(w.accepted_at, clock_timestamp()),
          state = case w.state when 'queued' then 'unconfirmed' else w.state end,
          unconfirmed_since = case w.state when 'queued' then coalesce(w.unconfirmed_since, clock_timestamp()) else w.unconfirmed_since end,
          next_at = case when w.is_claimed then w.next_at
            else least(w.next_at, greatest(clock_timestamp(), w.claimed_at + p_gap_ms * interval '1 millisecond')) end
      from held h
      where w.application_id = h.application_id and w.transaction_id = h.transaction_id
  ), noted as (
    insert into operator_attempts (application_id, transaction_id, number, kind, started_at, finished_at, outcome, answer)
      select h.application_id, h.transaction_id, h.attempts + 1, 'callback', clock_timestamp(), clock_timestamp(), h.outcome, h.answer
        from held h
  )
  select n.place, exists (select from held h where h.place = n.place) from waiting n;
end $$;
