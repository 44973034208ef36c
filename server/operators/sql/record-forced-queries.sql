-- Records queries that somebody asked for. The row's own schedule stays; at most it comes due now. Their `not_found` decides
-- nothing; whatever shows that the operator has the transfer keeps it from being sent again, as in record-operator-answers.sql.
create or replace function record_forced_queries(p_items json)
returns void
language plpgsql volatile set enable_seqscan = off set jit = off
set search_path from current as $$
#variable_conflict use_column
begin
  with item as materialized (
    select i.*, i.outcome in ('pending', 'succeeded', 'failed') as shows_it
      from json_to_recordset(p_items) as i (app uuid, id uuid, number integer, outcome text, http_status integer, answer text,
        duration_ms integer, is_news boolean)
  ), noted as (
    insert into operator_attempts (application_id, transaction_id, number, kind, started_at, finished_at, outcome, http_status, answer)
      select i.app, i.id, i.number, 'query', clock_timestamp() - i.duration_ms * interval '1 millisecond', clock_timestamp(),
             i.outcome, i.http_status, i.answer
        from item i
  ), held as materialized (
    -- Final words too: the row may be queued again, and must not be sent before the transition that follows removes it.
    select w.application_id, w.transaction_id, bool_or(i.is_news) as is_news, bool_or(i.shows_it) as shows_it
      from (select w.application_id, w.transaction_id from operator_work w
              join item i on w.application_id = i.app and w.transaction_id = i.id
              where i.is_news or (i.shows_it and (w.accepted_at is null or w.state = 'queued'))
              order by w.application_id, w.transaction_id for update of w) w
      join item i on w.application_id = i.app and w.transaction_id = i.id
      group by w.application_id, w.transaction_id
  )
  update operator_work w
    set accepted_at = case when h.shows_it then coalesce(w.accepted_at, clock_timestamp()) else w.accepted_at end,
        state = case when h.shows_it and w.state = 'queued' then 'submitted' else w.state end,
        next_at = case when not w.is_claimed and ((h.is_news and w.state in ('submitted', 'unconfirmed')) or (h.shows_it and w.state = 'queued'))
                       then least(w.next_at, clock_timestamp()) else w.next_at end
    from held h
    where w.application_id = h.application_id and w.transaction_id = h.transaction_id;
end $$;
