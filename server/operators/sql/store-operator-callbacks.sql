-- Stores callbacks among the attempts and makes the next query of their rows due. While a call is in progress the hint is only
-- stored, and one pending hint is enough: a storm of callbacks costs one query. Rows that another statement is changing at
-- this moment are not waited for but returned with is_taken false, to be retried.
-- Of a row's unsigned callbacks only the first is stored among the attempts, and each makes a query due later than the one before
-- (hint-gap-ms.sql): a flood of them adds neither rows nor queries. A signed one is stored even while an unsigned one is pending.
--
-- A verified callback also proves that the operator has the transfer: a row that was about to be sent again is queried instead. Anybody
-- can send an unverified one, so it proves nothing.
create or replace function store_operator_callbacks(p_items json, p_gap_ms integer)
returns table (item_index integer, is_taken boolean)
language plpgsql volatile set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set jit = off
set search_path from current as $$
#variable_conflict use_column
begin
  return query
  with item as materialized (
    select i.* from json_to_recordset(p_items) as i (item_index integer, application_id uuid, transaction_id uuid, operator text,
      outcome text, answer text, is_verified boolean)
      -- One row for the planner (start-transactions.sql).
      where i.item_index = i.item_index + 0
  ), waiting as materialized (
    select w.application_id, w.transaction_id, i.item_index, i.outcome, i.answer, i.is_verified
      from operator_work w join item i on w.application_id = i.application_id and w.transaction_id = i.transaction_id and w.operator = i.operator
      where (w.state in ('submitting', 'submitted', 'unconfirmed') or (w.state in ('queued', 'paused') and w.submissions > 0 and i.is_verified))
        and (w.hinted_at is null or (w.hints > 0 and i.is_verified))
  ), locked as materialized (
    select w.application_id, w.transaction_id, w.attempts, n.item_index, n.outcome, n.answer, n.is_verified,
           n.is_verified or w.hints = 0 as is_stored, case when n.is_verified then 0 else least(w.hints + 1, 20) end as hints
      from waiting n
      cross join lateral (select o.application_id, o.transaction_id, o.attempts, o.hints from operator_work o
        where o.application_id = n.application_id and o.transaction_id = n.transaction_id
          and (o.hinted_at is null or (o.hints > 0 and n.is_verified))
        for update skip locked) w
  ), moved as (
    update operator_work w
      set hinted_at = clock_timestamp(), hints = l.hints, attempts = l.attempts + l.is_stored::integer,
          accepted_at = case when l.is_verified then coalesce(w.accepted_at, clock_timestamp()) else w.accepted_at end,
          state = case when w.state in ('queued', 'paused') then 'unconfirmed' else w.state end,
          unconfirmed_since = case when w.state in ('queued', 'paused') then coalesce(w.unconfirmed_since, clock_timestamp()) else w.unconfirmed_since end,
          next_at = case when w.is_claimed then w.next_at
            else least(w.next_at, greatest(clock_timestamp(), w.claimed_at + hint_gap_ms(p_gap_ms, l.hints) * interval '1 millisecond',
              -- Anybody can send an unverified one, so that it does not shorten the operator's own pause.
              case when not l.is_verified then w.enquire_at end)) end
      from locked l
      where w.application_id = l.application_id and w.transaction_id = l.transaction_id
  ), attempt as (
    insert into operator_attempts (application_id, transaction_id, number, kind, started_at, finished_at, outcome, answer, is_verified)
      select l.application_id, l.transaction_id, l.attempts + 1, 'callback', clock_timestamp(), clock_timestamp(), l.outcome, l.answer,
             l.is_verified
        from locked l where l.is_stored
  )
  select n.item_index, n.item_index in (select l.item_index from locked l) from waiting n;
end $$;
