-- Decisions about transactions, and the record of everything that people and programs did.

-- The requirements of a transaction that met a rule, as the rule was at that moment: a later version does not change what waits.
create table approval_items (
  application_id uuid not null,
  transaction_id uuid not null,
  policy_version integer not null,
  rule jsonb not null,
  -- How many approvals each step needs.
  steps smallint[] not null check (cardinality(steps) between 1 and 2),
  needs_code boolean not null default false,
  api_may_decide boolean not null default false,
  expires_at timestamptz not null,
  primary key (application_id, transaction_id)
);
create index approval_items_by_expiry on approval_items (expires_at);

-- One decision of one checker about one transaction. Whether it counts is read when it is needed: the approval of a person who is suspended
-- meanwhile does not.
create table approval_decisions (
  application_id uuid not null,
  transaction_id uuid not null,
  checker_id uuid not null,
  -- The absent checker in whose place a deputy decided; null for a checker.
  on_behalf_of uuid,
  -- Whose right it was: each counts once about a transaction, whoever used it.
  authority_id uuid generated always as (coalesce(on_behalf_of, checker_id)) stored,
  maker_id uuid,
  decision text not null check (decision in ('validated', 'rejected')),
  step smallint not null default 1,
  note text not null,
  used_code boolean not null default false,
  through text not null check (through in ('api', 'back_office')),
  -- The API user that sent the decision; null for a person in the back office.
  api_user_id uuid,
  -- The batch that was decided as a whole; null for a decision about one transaction.
  batch_id uuid,
  decided_at timestamptz not null default now(),
  primary key (application_id, transaction_id, checker_id),
  constraint decider_is_not_maker check (maker_id is null or maker_id <> checker_id),
  constraint absent_is_not_maker check (on_behalf_of is null or (maker_id is distinct from on_behalf_of and checker_id <> on_behalf_of)),
  -- Only people in the back office, with a second factor of their own.
  constraint deputies_decide_themselves check (on_behalf_of is null or through = 'back_office'),
  constraint authority_decides_once unique (application_id, transaction_id, authority_id)
);
create index approval_decisions_by_time on approval_decisions (application_id, decided_at);
-- Lists of single decisions leave out the thousands of a batch.
create index approval_decisions_by_batch on approval_decisions (application_id, batch_id, decided_at) where batch_id is not null;
create trigger refuse_change before update or delete on approval_decisions for each row execute function refuse_change();
create trigger refuse_truncate before truncate on approval_decisions for each statement execute function refuse_change();
alter table approval_decisions enable always trigger refuse_change;
alter table approval_decisions enable always trigger refuse_truncate;

-- The audit chain of an application: every entry contains the digest of the one before, so that none can be changed or left out unseen.
-- A command writes its entry in its own database transaction.
create table audit_entries (
  application_id uuid not null,
  sequence bigint not null,
  at timestamptz not null,
  actor_kind text not null check (actor_kind in ('api', 'person', 'operator', 'system')),
  actor_id uuid,
  -- Null if the command line or the service itself acted.
  address text check (length(address) between 1 and 64),
  action text not null,
  subject text not null,
  details jsonb not null,
  previous_hash bytea not null,
  hash bytea not null,
  primary key (application_id, sequence)
);
-- The filters of the audit page. A subject may be 2,000 characters long, which is more than an index holds.
create index audit_entries_by_time on audit_entries (application_id, at);
create index audit_entries_by_actor on audit_entries (application_id, actor_id, sequence);
create index audit_entries_by_action on audit_entries (application_id, action, sequence);
create index audit_entries_by_subject on audit_entries (application_id, left(subject, 80), sequence);
-- Most entries are people's, and those are found by person.
create index audit_entries_by_kind on audit_entries (application_id, actor_kind, sequence) where actor_kind <> 'person';
create trigger refuse_change before update or delete on audit_entries for each row execute function refuse_change();
create trigger refuse_truncate before truncate on audit_entries for each statement execute function refuse_change();
alter table audit_entries enable always trigger refuse_change;
alter table audit_entries enable always trigger refuse_truncate;
