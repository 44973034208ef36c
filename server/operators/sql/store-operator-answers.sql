-- Stores the operators' answers and schedules the next query. Returns the answers that still count: an answer
-- to a submission counts while the row is in that very submission, an answer to a query as long as the row is not in a
-- later one. Final answers do not move the row: the transition that follows removes it. The result of a submission is kept with
-- the row until then, because a process that ends between the two could not ask for it again.
--
-- Each answer is an attempt. That of a submission which the operator accepted is kept in the row of the work, where apply_transitions finds it.
--
-- An answer that no longer counts still proves something when it shows that the operator has the transfer: it is marked
-- accepted, and a row that was about to be sent again is not. A row that was accepted once never returns to `queued`, because an
-- operator that loses sight of a transfer for a while would execute it twice.
--
-- An unknown answer to a submission with a reason is the refusal of a repeated one (guard-connector.ts). It is kept as `refused`: once the
-- operator has denied for long enough that it knows the reference, the earlier submission was not executed either, and the refusal is the result.
-- Nothing counts as denied before the operator's own pause is over (enquire_at).
create or replace function store_operator_answers(p_items json, p_absence_ms integer, p_accepted_absence_ms integer, p_hint_gap_ms integer)
returns table (item_index integer)
language plpgsql volatile set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set jit = off
set search_path from current as $$
#variable_conflict use_column
begin
  return query
  with item as materialized (
    select i.*, i.outcome in ('accepted', 'pending', 'succeeded', 'failed') as proves_receipt
      from json_to_recordset(p_items) as i (item_index integer, application_id uuid, transaction_id uuid, number integer,
        kind text, submission integer, outcome text, http_status integer, answer text, duration_ms integer, delay_ms integer,
        requeue_ms integer, operator_reference text, operator_reference_other text, operator_token text, reason text, operator_code text, is_mismatch boolean)
      -- One row for the planner (start-transactions.sql).
      where i.item_index = i.item_index + 0
  ), matched as materialized (
    select i.*,
           w.submissions = i.submission and case i.kind when 'submit' then w.state = 'submitting'
             else w.state in ('submitted', 'unconfirmed', 'queued', 'paused') end as is_current
      from operator_work w join item i on w.application_id = i.application_id and w.transaction_id = i.transaction_id
  ), kept as (
    update operator_work w
      set result = m.outcome, result_reason = m.reason, result_code = m.operator_code, last_answer = m.answer,
          operator_reference = coalesce(m.operator_reference, w.operator_reference),
          operator_reference_other = coalesce(m.operator_reference_other, w.operator_reference_other),
          operator_token = coalesce(m.operator_token, w.operator_token)
      from matched m
      where w.application_id = m.application_id and w.transaction_id = m.transaction_id
        and m.is_current and m.kind = 'submit' and m.outcome in ('succeeded', 'failed')
  ), locked as materialized (
    -- In one order, so that two batches wait for each other instead of blocking each other; and not the rows that a
    -- transition is about to remove, which takes them in an order of its own.
    select m.*, w.absent_since, clock_timestamp() as now_at, coalesce(w.enquire_at > clock_timestamp(), false) as is_early,
           w.result is not distinct from 'refused' as was_refused,
           -- Before this answer only a verified callback, or an answer that came late, can have proved receipt.
           case when w.hinted_at is not null and w.accepted_at is not null then null else w.enquire_at end as query_from,
           not m.is_current or w.state in ('queued', 'paused') as is_late,
           w.state = 'submitted' or w.accepted_at is not null
             or (m.outcome in ('not_found', 'not_sent') and (select count(*) from operator_attempts a
               where a.application_id = w.application_id and a.transaction_id = w.transaction_id
                 and a.is_verified is not false
                 and (a.kind = 'callback' or a.outcome in ('accepted', 'pending', 'succeeded', 'failed'))) > 0) as was_accepted
      from operator_work w join matched m on w.application_id = m.application_id and w.transaction_id = m.transaction_id
      where case when m.is_current and w.state not in ('queued', 'paused') then m.outcome not in ('succeeded', 'failed') else m.proves_receipt end
      order by w.application_id, w.transaction_id
      for update of w
  ), judged as materialized (
    select l.*, r.run_state,
           -- Where a row goes that was not sent, or that the operator denies. If people paused its batch meanwhile, it waits. In a stopped batch
           -- nothing is sent again: a `paused` row is one to end (batch-run-store.ts), and what may have left by an earlier call is queried.
           case when r.run_state = 'paused' then 'paused'
                when r.run_state = 'stopped' then case when l.outcome = 'not_sent' and may_have_left(l.application_id, l.transaction_id, l.submission - 1)
                                                       then 'unconfirmed' else 'paused' end
                else 'queued' end as unsent_state,
           -- The same denial twice, with time in between, is believed. In a stopped batch, and after a refusal of a repeated submission, it ends the
           -- transfer, and no reference protects what is ended from a call that is executed late: there the time is ten times that of a transfer
           -- that was accepted.
           l.outcome = 'not_found' and coalesce(l.absent_since <= l.now_at - interval '1 millisecond'
             * case when l.was_accepted then p_accepted_absence_ms when r.run_state = 'stopped' or l.was_refused then 10 * p_accepted_absence_ms
                    else p_absence_ms end, false) as is_absent
      from locked l
      cross join lateral (select case when l.outcome in ('not_sent', 'not_found')
                                      then coalesce(batch_run_state_of(l.application_id, l.transaction_id), 'running') end as run_state) r
  ), moved as (
    update operator_work w
      set state = case
            when j.is_late then case when w.state in ('queued', 'paused') then 'submitted' else w.state end
            when j.proves_receipt then 'submitted'
            when j.outcome = 'not_sent' and not j.was_accepted then j.unsent_state
            when j.kind = 'submit' then 'unconfirmed'
            when j.is_absent then case when j.was_accepted or j.was_refused then 'unconfirmed' else j.unsent_state end
            else w.state end,
          next_at = case
            when j.is_late then case when w.state in ('queued', 'paused') then j.now_at else w.next_at end
            when j.is_absent and j.was_refused and not j.was_accepted then j.now_at
            when j.unsent_state = 'paused' and not j.was_accepted and (j.is_absent or j.outcome = 'not_sent') then 'infinity'
            -- The claim of a submission set the time of the first query. Unless the call took long it is kept, so that no index changes.
            when j.kind = 'submit' and j.proves_receipt and w.hinted_at is null
              and w.next_at between j.now_at + 0.7 * j.delay_ms * interval '1 millisecond' and j.now_at + 1.2 * j.delay_ms * interval '1 millisecond'
              then greatest(w.next_at, j.query_from)
            -- A submission that never left waits for no query.
            else greatest(case when j.outcome <> 'not_sent' then j.query_from end, j.now_at + interval '1 millisecond' * case
              when j.is_absent and not j.was_accepted then j.requeue_ms
              when j.outcome = 'not_found' and not j.was_accepted and not j.was_refused and j.run_state <> 'stopped' then p_absence_ms
              when w.hinted_at is not null then least(hint_gap_ms(p_hint_gap_ms, w.hints), j.delay_ms)
              else j.delay_ms end) end,
          result = case
            when j.is_late then w.result
            when j.kind = 'submit' and j.outcome = 'unknown' and j.reason is not null then 'refused'
            when j.is_absent and j.was_refused and not j.was_accepted then 'failed'
            else w.result end,
          result_reason = case when j.kind = 'submit' and not j.is_late then coalesce(j.reason, w.result_reason) else w.result_reason end,
          result_code = case when j.kind = 'submit' and not j.is_late then coalesce(j.operator_code, w.result_code) else w.result_code end,
          accepted_at = case when j.proves_receipt or j.was_accepted then coalesce(w.accepted_at, j.now_at) end,
          unconfirmed_since = case
            when j.is_late then w.unconfirmed_since
            when j.proves_receipt then null
            when j.outcome = 'not_found' or (j.kind = 'submit' and (j.outcome <> 'not_sent' or j.was_accepted))
              or j.is_mismatch
              then coalesce(w.unconfirmed_since, j.now_at)
            else w.unconfirmed_since end,
          absent_since = case
            when j.is_late then w.absent_since
            when j.outcome <> 'not_found' or j.is_early then case when j.proves_receipt or j.kind = 'submit' then null else w.absent_since end
            -- A row denied in a stopped batch keeps it: the row may be ended because of it.
            when j.is_absent and not j.was_accepted and j.run_state <> 'stopped' then null
            else coalesce(w.absent_since, j.now_at) end,
          -- A submission made again starts the schedule of its queries again.
          queries = case
            when j.is_absent and not j.was_accepted then 0
            else w.queries + case j.kind when 'query' then 1 else 0 end end,
          is_claimed = w.is_claimed and j.is_late,
          last_answer = case when j.is_late then w.last_answer else j.answer end,
          operator_reference = coalesce(j.operator_reference, w.operator_reference),
          operator_reference_other = coalesce(j.operator_reference_other, w.operator_reference_other),
          operator_token = coalesce(j.operator_token, w.operator_token),
          submit_started_at = case when a.is_kept then j.now_at - j.duration_ms * interval '1 millisecond' else w.submit_started_at end,
          submit_finished_at = case when a.is_kept then j.now_at else w.submit_finished_at end,
          submit_http_status = case when a.is_kept then j.http_status else w.submit_http_status end,
          submit_answer = case when a.is_kept then j.answer else w.submit_answer end
      from judged j cross join lateral (select j.kind = 'submit' and j.outcome = 'accepted' and not j.is_late as is_kept) a
      where w.application_id = j.application_id and w.transaction_id = j.transaction_id
      returning j.item_index, a.is_kept
  ), returned_float as (
    -- Nothing left our account.
    insert into operator_float_sent as s (operator, slot, sent_minor)
      select w.operator, pg_backend_pid() % 16, -sum(t.amount_minor)
        from matched m
        join operator_work w on w.application_id = m.application_id and w.transaction_id = m.transaction_id and w.type = 'DEPOSIT'
        join operator_floats f on f.operator = w.operator
        join transactions t on t.application_id = m.application_id and t.transaction_id = m.transaction_id
        where m.is_current and m.kind = 'submit' and m.outcome = 'not_sent'
        group by w.operator order by w.operator
      on conflict (operator, slot) do update set sent_minor = s.sent_minor + excluded.sent_minor
  ), attempt as (
    insert into operator_attempts (application_id, transaction_id, number, kind, started_at, finished_at, outcome, http_status, answer)
      select i.application_id, i.transaction_id, i.number, i.kind, clock_timestamp() - i.duration_ms * interval '1 millisecond', clock_timestamp(),
             i.outcome, i.http_status, i.answer
        from item i where i.item_index not in (select m.item_index from moved m where m.is_kept)
      on conflict (application_id, transaction_id, number) do update
        set finished_at = excluded.finished_at, outcome = excluded.outcome, http_status = excluded.http_status, answer = excluded.answer
  )
  select m.item_index from matched m where m.is_current;
end $$;
