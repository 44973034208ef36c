-- A way back: approvals that take effect after a pause, in which their author can undo them.

-- Validations that their author can still undo. No decision yet: the items wait for everybody else as before. At due_at a worker decides in the
-- name of the person, with all checks of that moment. It keeps the row locked until the end is stored, so that a process that dies leaves it due.
create table intended_decisions (
  application_id uuid not null,
  intention_id uuid not null,
  person_id uuid not null,
  -- Of the person then: ending all sessions of a person ends what they intend.
  session_epoch integer not null,
  -- The address from which the person decided, for the audit record.
  address text,
  -- One of the two: a list of transactions, or a batch.
  transaction_ids uuid[],
  batch_id uuid,
  -- The note, and exactly what was shown: items with their content hashes, or digest, instant and excluded rows of the batch.
  command jsonb not null,
  -- The digest of the list or batch for which a fresh code was verified; null if none was needed.
  code_digest text,
  -- How many of the payments wait for another approval afterwards: as expected until it takes effect, then as it was.
  still_waiting integer not null default 0 check (still_waiting >= 0),
  state text not null default 'waiting' check (state in ('waiting', 'undone', 'carried_out', 'refused')),
  created_at timestamptz not null default clock_timestamp(),
  due_at timestamptz not null,
  -- The results per item, or of the batch, or why all of it was refused; null before the end.
  result jsonb,
  ended_at timestamptz,
  -- When the person dismissed the message about what was refused.
  told_at timestamptz,
  primary key (application_id, intention_id),
  check ((transaction_ids is null) <> (batch_id is null)),
  check ((state = 'waiting') = (ended_at is null))
);
-- For the worker: few rows at any time.
create index intended_decisions_waiting on intended_decisions (due_at) where state = 'waiting';
create index intended_decisions_of_person on intended_decisions (application_id, person_id, created_at);
