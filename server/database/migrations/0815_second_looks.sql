-- Queries to operators about payments that have ended, each of a kind:
-- contradiction: the operator reported the other result. hint: an unsigned callback did. hour_look, day_look: the payment failed an hour or
-- a day ago, and the operator is queried again because a failure may have been reported too early.
drop function if exists claim_contradiction_queries(text[], integer, integer);
drop index contradiction_queries_due;
alter table contradiction_queries
  add column kind text not null default 'contradiction' check (kind in ('contradiction', 'hint', 'hour_look', 'day_look')),
  -- What the callback of a hint said, and its text: the only copy.
  add column said text,
  add column answer text,
  -- A hint stays for a day after its end, so that another one about the same payment causes no query.
  add column ended_at timestamptz,
  drop constraint contradiction_queries_pkey,
  add primary key (application_id, transaction_id, kind);
alter table contradiction_queries alter column kind drop default;
create index contradiction_queries_due on contradiction_queries (operator, application_id, kind, next_at) where ended_at is null;
create index contradiction_queries_ended on contradiction_queries (ended_at) where ended_at is not null;

-- Up to which failure, in the order in which they ended, the second looks of an application are scheduled.
create table second_look_marks (
  application_id uuid primary key,
  failed_sequence bigint not null
);
insert into second_look_marks (application_id, failed_sequence) select application_id, failed_count from application_counters;

-- A hint that the operator could neither confirm nor deny is listed like a contradiction. Later answers of the operator follow the second row.
alter table operator_contradictions drop constraint operator_contradictions_number_check;
alter table operator_contradictions add check (number between 1 and 9);
alter table operator_contradictions drop constraint operator_contradictions_source_check;
alter table operator_contradictions add check (source in ('callback', 'hint', 'submit', 'query'));

-- How many unsigned callbacks made queries due since the last signed one. Anybody can send them, so each waits longer than the one before.
alter table operator_work add column hints smallint not null default 0;
