-- A claim is noted beside the due time instead of in it: `next_at` is in an index, so that moving it wrote every index entry of the row again.
-- Now a claim changes the row in its page, if there is room.
alter table operator_work add column claimed_until timestamptz;
alter table operator_work add column submit_number integer;
alter table operator_work set (fillfactor = 40);
alter table webhook_deliveries add column claimed_until timestamptz;
alter table webhook_deliveries set (fillfactor = 70);
-- An attempt is written once, when its outcome is known.
alter table operator_attempts reset (fillfactor);

-- The predicate of a partial index counts as indexed: with `state` in one, a submission that was accepted wrote all index entries again.
-- The phase of a row changes less often than its state.
alter table operator_work add column phase text generated always as (
  case when state in ('queued', 'paused', 'awaiting_code') then state else 'begun' end) stored;
drop index operator_work_awaiting_code;
drop index operator_work_begun;
drop index operator_work_paused;
drop index operator_work_waiting;
create index operator_work_awaiting_code on operator_work (code_until) where phase = 'awaiting_code';
create index operator_work_begun on operator_work (operator, next_at) where phase <> 'queued';
create index operator_work_paused on operator_work (application_id, transaction_id) where phase = 'paused';
create index operator_work_waiting on operator_work (operator, type, next_at) where phase = 'queued';

-- A settled transaction leaves a dead row. With PostgreSQL's fifth of the table they are as many as the history is long.
alter table transactions set (autovacuum_vacuum_scale_factor = 0.05);
