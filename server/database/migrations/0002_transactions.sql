-- The payments, their history and their money. Every table here has application_id first in its keys, so that the
-- database can be sharded by application (DESIGN 3). No foreign keys on these tables: each would cost a look-up and a
-- lock per row on the hot path; `npm run verify` checks the references instead.

-- One row per application. Its lock orders everything that happens to that application's money, and its counters give
-- the gap-free sequences that make any page one index descent (DESIGN 8).
create table application_counters (
  application_id uuid primary key,
  transaction_count bigint not null default 0,
  pending_count bigint not null default 0 check (pending_count >= 0),
  pending_approval_count bigint not null default 0 check (pending_approval_count >= 0),
  success_count bigint not null default 0,
  failed_count bigint not null default 0,
  -- Moves with every batch that touched the application: what live pages watch.
  change_number bigint not null default 0
) with (fillfactor = 50);

create table transactions (
  application_id uuid not null,
  transaction_id uuid not null,
  sequence bigint not null,
  final_sequence bigint,
  external_id uuid not null,
  type text not null check (type in ('COLLECT', 'DEPOSIT')),
  status text not null check (status in ('PENDING_APPROVAL', 'PENDING', 'SUCCESS', 'FAILED')),
  operator text not null,
  currency text not null,
  amount_minor bigint not null check (amount_minor > 0),
  fee_system_minor bigint not null check (fee_system_minor >= 0),
  fee_app_minor bigint not null check (fee_app_minor >= 0),
  -- What was taken from the deposit balance for this deposit and not yet settled or released.
  held_minor bigint not null default 0 check (held_minor >= 0),
  customer_name text not null,
  phone_number text not null,
  webhook_url text not null,
  pay_token text not null,
  operator_token text,
  message text,
  source text not null check (source in ('api', 'person', 'file')),
  maker_id uuid,
  checker_id uuid,
  batch_id uuid,
  version integer not null default 1,
  created_at timestamptz not null,
  final_at timestamptz,
  primary key (application_id, transaction_id),
  constraint transactions_external_id unique (application_id, external_id),
  constraint transactions_sequence unique (application_id, sequence),
  constraint maker_is_not_checker check (maker_id is null or checker_id is null or maker_id <> checker_id),
  constraint final_has_sequence check ((status in ('SUCCESS', 'FAILED')) = (final_sequence is not null))
);
create unique index transactions_final_sequence on transactions (application_id, status, final_sequence)
  where final_sequence is not null;
-- PENDING needs no index of its own: operator_work holds exactly the PENDING transactions, in order of their ids.
create index transactions_waiting on transactions (application_id, sequence) where status = 'PENDING_APPROVAL';
create index transactions_by_phone on transactions (application_id, phone_number, sequence);
create index transactions_by_batch on transactions (application_id, batch_id) where batch_id is not null;

-- version counts the events of a transaction: 1 is its creation.
create table transaction_events (
  application_id uuid not null,
  transaction_id uuid not null,
  version integer not null,
  from_status text,
  to_status text not null,
  event text not null,
  actor_kind text not null check (actor_kind in ('api', 'person', 'operator', 'system')),
  actor_id uuid,
  reason text,
  at timestamptz not null,
  primary key (application_id, transaction_id, version)
);

-- The live balances of one application at one operator; each column is an account. Column and CHECK together say that
-- a deposit balance never goes below zero and that the books sum to zero, whoever writes.
create table ledger_balances (
  application_id uuid not null,
  operator text not null,
  currency text not null,
  collect_minor bigint not null default 0,
  deposit_minor bigint not null default 0 check (deposit_minor >= 0),
  held_minor bigint not null default 0 check (held_minor >= 0),
  fees_minor bigint not null default 0,
  clearing_minor bigint not null default 0,
  revenue_minor bigint not null default 0,
  primary key (application_id, operator),
  constraint books_balance check (collect_minor + deposit_minor + held_minor + fees_minor + clearing_minor + revenue_minor = 0)
) with (fillfactor = 50);

-- One row is one posting; each of its six columns is the entry on that account. (subject_id, kind) is the key: a
-- transaction can be held, settled or released once, whatever a retry does.
create table ledger_postings (
  application_id uuid not null,
  subject_id uuid not null,
  kind text not null check (kind in ('hold', 'release', 'settle', 'fund', 'correct')),
  operator text not null,
  currency text not null,
  collect_minor bigint not null default 0,
  deposit_minor bigint not null default 0,
  held_minor bigint not null default 0,
  fees_minor bigint not null default 0,
  clearing_minor bigint not null default 0,
  revenue_minor bigint not null default 0,
  actor_id uuid,
  reason text,
  at timestamptz not null,
  primary key (application_id, subject_id, kind),
  constraint posting_balances check (collect_minor + deposit_minor + held_minor + fees_minor + clearing_minor + revenue_minor = 0)
);
-- Append-only and in time order on disk: a block range index serves statements at almost no price to the writer.
create index ledger_postings_by_time on ledger_postings using brin (at) with (pages_per_range = 16, autosummarize = on);

-- The same postings as classic entries, one line per account touched.
create view ledger_entries as
  select p.application_id, p.subject_id, p.kind, p.operator, p.currency, e.account, e.amount_minor, p.at
  from ledger_postings p
  cross join lateral (values ('collect', p.collect_minor), ('deposit', p.deposit_minor), ('held', p.held_minor),
                             ('fees', p.fees_minor), ('clearing', p.clearing_minor), ('revenue', p.revenue_minor))
    as e (account, amount_minor)
  where e.amount_minor <> 0;

-- Roll-ups by the UTC day of creation: totals over any range read days, not transactions (DESIGN 8).
create table transaction_days (
  application_id uuid not null,
  day date not null,
  operator text not null,
  type text not null,
  status text not null,
  transaction_count bigint not null check (transaction_count >= 0),
  amount_minor bigint not null check (amount_minor >= 0),
  -- The order in which ranges are read: one status, consecutive days.
  primary key (application_id, status, day, operator, type)
) with (fillfactor = 50);

-- What is still to be done at an operator for a PENDING transaction. The row ends with the transaction's result.
-- next_at is both the schedule and the lease: a claim moves it ahead, so what a dead process held comes back by itself.
create table operator_work (
  application_id uuid not null,
  transaction_id uuid not null,
  operator text not null,
  state text not null check (state in ('queued', 'refused', 'submitting', 'submitted', 'unconfirmed')),
  next_at timestamptz not null,
  attempts integer not null default 0,
  queries integer not null default 0,
  unconfirmed_since timestamptz,
  last_answer text,
  primary key (application_id, transaction_id)
);
create index operator_work_due on operator_work (next_at);

create table operator_attempts (
  application_id uuid not null,
  transaction_id uuid not null,
  number integer not null,
  kind text not null check (kind in ('submit', 'query', 'callback')),
  started_at timestamptz not null,
  finished_at timestamptz,
  outcome text,
  http_status integer,
  answer text,
  primary key (application_id, transaction_id, number)
);

-- The outbox: a row is written by the same statement that makes a transaction final.
create table webhook_deliveries (
  application_id uuid not null,
  transaction_id uuid not null,
  -- scheme://host:port of the receiver: the queue it stands in, so that a receiver that hangs delays only itself.
  target text not null,
  state text not null default 'due' check (state in ('due', 'delivered', 'exhausted')),
  attempts smallint not null default 0 check (attempts between 0 and 4),
  next_at timestamptz not null,
  created_at timestamptz not null,
  finished_at timestamptz,
  primary key (application_id, transaction_id)
);
create index webhook_deliveries_due on webhook_deliveries (target, next_at) where state = 'due';

create table webhook_attempts (
  application_id uuid not null,
  transaction_id uuid not null,
  number smallint not null,
  started_at timestamptz not null,
  duration_ms integer not null,
  outcome text not null,
  http_status integer,
  detail text,
  primary key (application_id, transaction_id, number)
);
create index webhook_attempts_by_time on webhook_attempts using brin (started_at) with (autosummarize = on);

-- What a waiting transaction needs, as the rule stood when it came in.
create table approval_items (
  application_id uuid not null,
  transaction_id uuid not null,
  policy_version integer not null,
  rule jsonb not null,
  steps smallint[] not null check (cardinality(steps) between 1 and 2),
  needs_code boolean not null default false,
  expires_at timestamptz not null,
  primary key (application_id, transaction_id)
);
create index approval_items_by_expiry on approval_items (expires_at);

create table approval_decisions (
  application_id uuid not null,
  transaction_id uuid not null,
  checker_id uuid not null,
  maker_id uuid,
  decision text not null check (decision in ('validated', 'rejected')),
  step smallint not null default 1,
  note text not null,
  used_code boolean not null default false,
  through text not null check (through in ('api', 'back_office')),
  decided_at timestamptz not null default now(),
  primary key (application_id, transaction_id, checker_id),
  constraint decider_is_not_maker check (maker_id is null or maker_id <> checker_id)
);
create index approval_decisions_by_time on approval_decisions (application_id, decided_at);

-- Who did what to the configuration, the people and the decisions; each row carries the digest of the one before it.
create table audit_entries (
  application_id uuid not null,
  sequence bigint not null,
  at timestamptz not null,
  actor_kind text not null check (actor_kind in ('api', 'person', 'operator', 'system')),
  actor_id uuid,
  action text not null,
  subject text not null,
  details jsonb not null,
  previous_hash bytea not null,
  hash bytea not null,
  primary key (application_id, sequence)
);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'rows of % are never changed or removed: write a new one', tg_table_name using errcode = 'restrict_violation';
end $$;

do $$
declare kept text;
begin
  foreach kept in array array['ledger_postings', 'transaction_events', 'approval_decisions', 'audit_entries'] loop
    execute format('create trigger refuse_change before update or delete on %I for each row execute function refuse_change()', kept);
    execute format('create trigger refuse_truncate before truncate on %I for each statement execute function refuse_change()', kept);
    -- Also under session_replication_role = replica, which otherwise switches triggers off.
    execute format('alter table %I enable always trigger refuse_change', kept);
    execute format('alter table %I enable always trigger refuse_truncate', kept);
  end loop;
end $$;
