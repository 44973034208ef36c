-- How the work at the operators is claimed, recorded and hinted at. Each function does a whole batch in one statement.
-- Sequential scans are off for the reason given in 0003: plans outlive the size that the table had when they were made.

-- Claimed operator by operator, so that a queue of one that hangs costs the others nothing, not even a scan.
drop index operator_work_due;
create index operator_work_due on operator_work (operator, next_at);

alter table operator_work
  -- How often the reference was handed to the operator; tells the answer of an overtaken submission from the present one.
  add column submissions integer not null default 0,
  -- True while a process holds the row under its lease; then next_at is the end of the lease, else the schedule.
  add column is_claimed boolean not null default false,
  add column claimed_at timestamptz,
  -- A callback came in and no query has been made since.
  add column hinted_at timestamptz,
  -- Since when the operator has been saying that it does not know the reference.
  add column absent_since timestamptz,
  add column operator_reference text,
  add column operator_token text;

-- What the back office shows as money whose outcome is unknown, by age.
create index operator_work_unconfirmed on operator_work (application_id, unconfirmed_since) where unconfirmed_since is not null;

-- A row lives for seconds and changes several times: clean up often.
alter table operator_work set (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);

-- Takes due rows, at most p_slots[n] of p_operators[n], each under a lease. What is queued becomes `submitting`, and its
-- attempt row is written here: both are committed before the operator is called. What is found in `submitting` is a call
-- whose process died: nobody knows what happened, so it becomes `unconfirmed` and is asked about.
create function claim_operator_work(p_operators text[], p_slots integer[], p_lease_ms integer)
returns table (application_id uuid, transaction_id uuid, operator text, found_state text, number integer, submissions integer,
               queries integer, operator_reference text, operator_token text, type text, currency text, amount_minor bigint,
               phone_number text, customer_name text)
language plpgsql volatile set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
declare
  v_at timestamptz := clock_timestamp();
begin
  return query
  with due as materialized (
    select w.application_id, w.transaction_id, w.state
      from unnest(p_operators, p_slots) as free (operator, slots)
      cross join lateral (
        select o.application_id, o.transaction_id, o.state from operator_work o
          where o.operator = free.operator and o.next_at <= v_at
          order by o.next_at limit free.slots for update skip locked
      ) w
  ), claimed as materialized (
    update operator_work w
      set state = case d.state when 'queued' then 'submitting' when 'submitting' then 'unconfirmed' else d.state end,
          next_at = v_at + p_lease_ms * interval '1 millisecond', is_claimed = true, claimed_at = v_at, hinted_at = null,
          attempts = w.attempts + case when d.state = 'refused' then 0 else 1 end,
          submissions = w.submissions + case when d.state = 'queued' then 1 else 0 end,
          unconfirmed_since = case when d.state = 'submitting' then coalesce(w.unconfirmed_since, v_at) else w.unconfirmed_since end,
          -- What was denied before says nothing about this submission.
          absent_since = case d.state when 'queued' then null else w.absent_since end
      from due d
      where w.application_id = d.application_id and w.transaction_id = d.transaction_id
      returning w.application_id, w.transaction_id, w.operator, d.state as found_state, w.attempts, w.submissions, w.queries,
                w.operator_reference, w.operator_token
  ), started as (
    insert into operator_attempts (application_id, transaction_id, number, kind, started_at)
      select c.application_id, c.transaction_id, c.attempts, 'submit', v_at from claimed c where c.found_state = 'queued'
  ), interrupted as (
    update operator_attempts a set finished_at = v_at, outcome = 'interrupted'
      from claimed c
      where c.found_state = 'submitting' and a.application_id = c.application_id and a.transaction_id = c.transaction_id
        and a.kind = 'submit' and a.finished_at is null
  )
  select c.application_id, c.transaction_id, c.operator, c.found_state, c.attempts, c.submissions, c.queries,
         c.operator_reference, c.operator_token, t.type, t.currency, t.amount_minor, t.phone_number, t.customer_name
    from claimed c
    join transactions t on t.application_id = c.application_id and t.transaction_id = c.transaction_id;
end $$;

-- Writes down what the operators answered and when to ask next. Gives back the places of the answers that still count:
-- an answer to a submission counts while the row is in that very submission, an answer to a query as long as the row is
-- not in a later one. Final answers change nothing here: the transition that follows removes the row.
create function record_operator_answers(p_items json, p_absence_ms integer, p_accepted_absence_ms integer, p_hint_gap_ms integer)
returns table (place integer)
language plpgsql volatile set enable_seqscan = off set jit = off as $$
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

-- Callbacks: each makes the next query due at once and leaves its words among the attempts. While a call is under way the
-- hint is only remembered, and one unheeded hint is enough: a storm of callbacks costs one query. Rows that another
-- statement is changing at this moment are not waited for but given back with is_taken false, to be tried again.
create function hint_operator_work(p_items json, p_gap_ms integer)
returns table (place integer, is_taken boolean)
language plpgsql volatile set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
begin
  return query
  with item as materialized (
    select i.* from json_to_recordset(p_items) as i (place integer, app uuid, id uuid, operator text, outcome text, answer text)
  ), waiting as materialized (
    select w.application_id, w.transaction_id, i.place, i.outcome, i.answer
      from operator_work w join item i on w.application_id = i.app and w.transaction_id = i.id and w.operator = i.operator
      where w.state in ('submitting', 'submitted', 'unconfirmed') and w.hinted_at is null
  ), held as materialized (
    select w.application_id, w.transaction_id, w.attempts, n.place, n.outcome, n.answer
      from operator_work w join waiting n on w.application_id = n.application_id and w.transaction_id = n.transaction_id
      where w.hinted_at is null
      for update of w skip locked
  ), moved as (
    update operator_work w
      set hinted_at = clock_timestamp(), attempts = h.attempts + 1,
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
