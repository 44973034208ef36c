-- Transactions and their history.
--
-- Every table of volume has application_id first in its keys, here and in all later chapters, so that the database can be sharded by
-- application. None has a foreign key: each would cost a look-up and a lock per row; `npm run verify` checks the references instead.

-- Rows that prove something are written once. The triggers that call this are `enable always`, because session_replication_role = replica
-- would switch ordinary triggers off.
create function refuse_change() returns trigger language plpgsql
set search_path from current as $$
begin
  raise exception 'rows of % are never changed or removed: write a new one', tg_table_name using errcode = 'restrict_violation';
end $$;

-- One row per application. Its lock puts everything that happens to the application's money in one order, and its counts are the
-- gap-free sequences with which any page of a list is one index descent.
create table application_counters (
  application_id uuid primary key,
  transaction_count bigint not null default 0,
  pending_count bigint not null default 0 check (pending_count >= 0),
  pending_approval_count bigint not null default 0 check (pending_approval_count >= 0),
  success_count bigint not null default 0,
  failed_count bigint not null default 0,
  -- Rises with every batch that changed a transaction of the application; live pages compare it.
  change_number bigint not null default 0,
  -- Rises with every proposal of a person that is made or ends; pages that show such proposals are read again.
  proposal_number bigint not null default 0
) with (fillfactor = 50);

-- A payment from a customer (COLLECT) or to one (DEPOSIT). Its content never changes; status, result and held money do, along the edges of
-- lib/payments/transactions/transaction-status.ts.
create table transactions (
  application_id uuid not null,
  transaction_id uuid not null,
  -- Its number in the order of creation, from 1 without a gap.
  sequence bigint not null,
  -- Chosen by the caller: the same request again returns the stored transaction and pays nothing twice.
  external_id uuid not null,
  type text not null check (type in ('COLLECT', 'DEPOSIT')),
  status text not null check (status in ('PENDING_APPROVAL', 'PENDING', 'SUCCESS', 'FAILED')),
  -- The predicate of a partial index counts as an indexed column. With the status in it, each result would write all index entries of the row.
  is_waiting boolean generated always as (status = 'PENDING_APPROVAL') stored,
  operator text not null,
  currency text not null,
  amount_minor bigint not null check (amount_minor > 0),
  fee_system_minor bigint not null check (fee_system_minor >= 0),
  fee_app_minor bigint not null check (fee_app_minor >= 0),
  -- Taken from the deposit balance for this deposit, and neither settled nor released yet.
  held_minor bigint not null default 0 check (held_minor >= 0),
  customer_name text not null,
  -- The purpose, or the number of an invoice, as a person entered it; empty for what a program started.
  purpose text not null default '',
  phone_number text not null,
  -- Null if a person started it and the application has no default address: no program waits for the result.
  webhook_url text,
  pay_token text not null,
  operator_token text,
  -- The operator's own reference, the only one in the operator's statements. Kept after the operator work is deleted.
  operator_reference text,
  -- The second one of an operator that has two, such as Wave's payout and its transaction: statements may print either.
  operator_reference_other text,
  message text,
  source text not null check (source in ('api', 'person', 'file', 'link')),
  -- Null if a program started it. Of a payment link: who created the link, so that another person approves its collects.
  maker_id uuid,
  -- The program's user; null if a person started it.
  api_user_id uuid,
  checker_id uuid,
  batch_id uuid,
  -- The number of its events.
  version integer not null default 1,
  -- Whether it was PENDING_APPROVAL when it was created.
  needed_approval boolean not null default false,
  created_at timestamptz not null,
  final_at timestamptz,
  primary key (application_id, transaction_id),
  constraint transactions_external_id unique (application_id, external_id),
  constraint transactions_sequence unique (application_id, sequence),
  constraint maker_is_not_checker check (maker_id is null or checker_id is null or maker_id <> checker_id),
  constraint final_has_time check ((status in ('SUCCESS', 'FAILED')) = (final_at is not null)),
  constraint file_has_maker check (source <> 'file' or maker_id is not null),
  constraint api_has_webhook check (source <> 'api' or webhook_url is not null)
-- A settled transaction leaves a dead row. With PostgreSQL's fifth of the table they would be as many as the history is long.
-- Nothing that a result changes is in an index, so with room in its page the settled row stays there and its index entries are not written again.
-- With 45 % of a page every second version fits; with 50 % one in eight does not.
) with (fillfactor = 45, autovacuum_vacuum_scale_factor = 0.05);
-- PENDING needs no index: operator_work contains exactly the PENDING transactions.
create index transactions_waiting on transactions (application_id, sequence) where is_waiting;
-- The queue and its badge read what waits outside batches, and one row of each batch, never the thousands of rows of a batch.
create index transactions_waiting_alone on transactions (application_id, sequence) where is_waiting and batch_id is null;
create index transactions_waiting_batches on transactions (application_id, batch_id, sequence)
  where is_waiting and batch_id is not null;
-- Other payments to the same name that wait. The name is first, so that no other statement reads through this index.
create index transactions_waiting_by_name on transactions (lower(btrim(customer_name)), application_id) where is_waiting;
create index transactions_by_phone on transactions (application_id, phone_number, sequence);
create index transactions_by_batch on transactions (application_id, batch_id) where batch_id is not null;
create index transactions_by_maker on transactions (application_id, maker_id, sequence) where maker_id is not null;
-- Only equality is asked, and a hash costs a new row less than a tree over random text.
create index transactions_by_pay_token on transactions using hash (pay_token);

-- A trigger after the change, because one before it would lock each row that settles once more.
create trigger refuse_change after update of api_user_id, needed_approval on transactions for each row execute function refuse_change();
alter table transactions enable always trigger refuse_change;

-- Each edge that a transaction took, with the person or program that moved it. `version` counts from 2: the first event, the creation, is in
-- columns of its transaction. all_transaction_events has both.
create table transaction_events (
  application_id uuid not null,
  transaction_id uuid not null,
  version integer not null check (version > 1),
  from_status text not null,
  to_status text not null,
  event text not null,
  actor_kind text not null check (actor_kind in ('api', 'person', 'operator', 'system')),
  actor_id uuid,
  reason text,
  at timestamptz not null,
  -- Of a result: its number among those of the same status, in the order of results, from 1 without a gap.
  final_sequence bigint,
  primary key (application_id, transaction_id, version),
  constraint final_has_sequence check ((to_status in ('SUCCESS', 'FAILED')) = (final_sequence is not null))
);
create unique index transaction_events_final on transaction_events (application_id, to_status, final_sequence) where final_sequence is not null;
create trigger refuse_change before update or delete on transaction_events for each row execute function refuse_change();
create trigger refuse_truncate before truncate on transaction_events for each statement execute function refuse_change();
alter table transaction_events enable always trigger refuse_change;
alter table transaction_events enable always trigger refuse_truncate;

create view all_transaction_events as
  select application_id, transaction_id, version, from_status, to_status, event, actor_kind, actor_id, reason, at, final_sequence
    from transaction_events
  union all
  select t.application_id, t.transaction_id, 1, null, case when t.needed_approval then 'PENDING_APPROVAL' else 'PENDING' end, 'created',
         case t.source when 'api' then 'api' when 'link' then 'system' else 'person' end, case when t.source <> 'link' then coalesce(t.api_user_id, t.maker_id) end, null, t.created_at, null
    from transactions t;

-- The transactions that ended, with their numbers in the order of results.
create view final_transactions as
  select t.*, e.to_status, e.final_sequence
    from transaction_events e join transactions t on t.application_id = e.application_id and t.transaction_id = e.transaction_id
    where e.final_sequence is not null;

-- A transaction and the one that it was sent in place of. Each is replaced at most once, so that a rejected payment that is repaired in two
-- windows is paid once.
create table transaction_origins (
  application_id uuid not null,
  transaction_id uuid not null,
  origin_id uuid not null check (origin_id <> transaction_id),
  primary key (application_id, transaction_id),
  constraint transaction_origins_origin unique (application_id, origin_id)
);

-- Transactions that were returned to their maker, who does not want to send them again: they are no longer listed for anybody.
create table dismissed_returns (
  application_id uuid not null,
  transaction_id uuid not null,
  at timestamptz not null default clock_timestamp(),
  primary key (application_id, transaction_id)
);

-- A deposit that returns money of a collect to its payer. `refunded_minor` counts against the collected amount: the amount of the deposit, and its
-- fees too where the customer bears them.
create table transaction_refunds (
  application_id uuid not null,
  transaction_id uuid not null,
  collect_id uuid not null check (collect_id <> transaction_id),
  refunded_minor bigint not null check (refunded_minor > 0),
  primary key (application_id, transaction_id)
);
create index transaction_refunds_by_collect on transaction_refunds (application_id, collect_id);
create trigger refuse_change before update or delete on transaction_refunds for each row execute function refuse_change();
create trigger refuse_truncate before truncate on transaction_refunds for each statement execute function refuse_change();
alter table transaction_refunds enable always trigger refuse_change;
alter table transaction_refunds enable always trigger refuse_truncate;

-- Refunds of one collect never exceed it, whoever inserts them: each insert waits for the application's lock, and then sees the others. It runs
-- after the statement, so that it sees the deposit, and the refunds of the same batch.
create function refuse_excessive_refund() returns trigger language plpgsql
set search_path from current as $$
begin
  perform from application_counters c where c.application_id = new.application_id for no key update;
  if refund_obstacle(new.application_id, new.collect_id) is not null then
    raise exception 'the collect cannot be refunded' using errcode = 'check_violation', constraint = 'refund_of_a_sound_collect';
  end if;
  if not exists (select from transactions t join transactions c on c.application_id = t.application_id and c.transaction_id = new.collect_id
      where t.application_id = new.application_id and t.transaction_id = new.transaction_id and t.type = 'DEPOSIT'
        and (t.operator, t.currency, t.phone_number) = (c.operator, c.currency, c.phone_number)
        and new.refunded_minor >= t.amount_minor) then
    raise exception 'a refund is a deposit to the payer of the collect' using errcode = 'check_violation', constraint = 'refund_to_the_payer';
  end if;
  if refunded_minor(new.application_id, new.collect_id) > (select c.amount_minor from transactions c
      where c.application_id = new.application_id and c.transaction_id = new.collect_id) then
    raise exception 'the refunds would exceed the collect' using errcode = 'check_violation', constraint = 'refunds_within_collect';
  end if;
  return null;
end $$;
create trigger refuse_excessive_refund after insert on transaction_refunds for each row execute function refuse_excessive_refund();
alter table transaction_refunds enable always trigger refuse_excessive_refund;

-- A payment that a person is writing. It is sent with its external id, so that a form that is sent twice pays once.
create table payment_drafts (
  application_id uuid not null,
  person_id uuid not null,
  external_id uuid not null,
  origin_id uuid,
  -- The form as typed.
  content jsonb not null check (length(content::text) <= 4000),
  saved_at timestamptz not null default clock_timestamp(),
  primary key (application_id, person_id, external_id)
);

-- Counts and sums by UTC day of creation: a total over a range reads days. A scheduled task counts each transaction as PENDING once it is stored,
-- and moves it to its result once it has ended. Readers add what the task has not reached (late_transaction_days). PENDING_APPROVAL is exact:
-- the statements that move it take it from PENDING, which may therefore be below zero here. An upsert that subtracts is checked as if it inserted,
-- so neither of the two has a check.
create table transaction_days (
  application_id uuid not null,
  day date not null,
  operator text not null,
  type text not null,
  status text not null,
  transaction_count bigint not null check (status in ('PENDING', 'PENDING_APPROVAL') or transaction_count >= 0),
  amount_minor bigint not null check (status in ('PENDING', 'PENDING_APPROVAL') or amount_minor >= 0),
  -- The order in which ranges are read: one status, consecutive days.
  primary key (application_id, status, day, operator, type)
) with (fillfactor = 50);

-- The sequence and the final sequences up to which an application's transactions are in transaction_days.
create table transaction_day_marks (
  application_id uuid primary key,
  created_until bigint not null,
  success_until bigint not null,
  failed_until bigint not null
);
