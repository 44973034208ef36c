-- What people did with a batch while its rows were being sent. A batch without a row here runs.
create table batch_runs (
  application_id uuid not null,
  batch_id uuid not null,
  -- paused: rows that the operator does not have wait. stopped: they end as FAILED.
  state text not null check (state in ('running', 'paused', 'stopped')),
  changed_by uuid not null,
  changed_at timestamptz not null default clock_timestamp(),
  reason text,
  primary key (application_id, batch_id)
);

-- The rows of a retry: which failed transaction each of them repeats. The key allows one retry of a failed transaction; the retry of a row
-- that failed again repeats that row.
create table batch_retries (
  application_id uuid not null,
  failed_transaction_id uuid not null,
  -- The batch of the failed transaction, and the one that repeats it.
  parent_batch_id uuid not null,
  batch_id uuid not null,
  -- Of the repeating batch (batch_rows).
  row_number integer not null,
  -- The externalId under which it is repeated.
  external_id uuid not null,
  primary key (application_id, failed_transaction_id),
  constraint batch_retries_row unique (application_id, batch_id, row_number),
  constraint batch_retries_external_id unique (application_id, external_id)
);
create index batch_retries_by_parent on batch_retries (application_id, parent_batch_id);

-- `paused`: like `queued`, but its batch is paused. next_at is infinity, so that no claim reads the row.
alter table operator_work drop constraint operator_work_state_check;
alter table operator_work add constraint operator_work_state_check
  check (state in ('queued', 'paused', 'unfunded', 'refused', 'submitting', 'submitted', 'unconfirmed'));
alter table operator_work drop constraint operator_work_accepted_stays;
alter table operator_work add constraint operator_work_accepted_stays
  check (state not in ('queued', 'paused') or accepted_at is null);

-- The batches that wait, and the first rows of each: a badge and a queue read one row of a batch, not all of them.
create index transactions_waiting_batches on transactions (application_id, batch_id, sequence)
  where status = 'PENDING_APPROVAL' and batch_id is not null;

-- The batch that a decision was about; null for a decision about one transaction. Lists of single decisions leave out the thousands of a batch.
alter table approval_decisions add column batch_id uuid;
create index approval_decisions_by_batch on approval_decisions (application_id, batch_id, decided_at) where batch_id is not null;
create index operator_work_paused on operator_work (application_id, transaction_id) where state = 'paused';
