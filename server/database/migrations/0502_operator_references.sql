-- The operator's own reference of a transaction: operators' statements name nothing else. Kept after the operator work is deleted.
alter table transactions add column operator_reference text;

-- The references of final transactions, for the search and to find a reference that two transactions have. A scheduled task fills it,
-- so that settling writes no further index. An operator account belongs to the installation, so a reference is looked up across
-- applications; that index is not unique, because a repeated reference must not stop money that has moved.
create table operator_references (
  application_id uuid not null,
  operator_reference text not null,
  transaction_id uuid not null,
  operator text not null,
  type text not null,
  primary key (application_id, operator_reference, transaction_id)
);
create index operator_references_by_operator on operator_references (operator, type, operator_reference);

-- Up to which final sequences an application's references are in the table above.
create table operator_reference_marks (
  application_id uuid primary key,
  success_until bigint not null,
  failed_until bigint not null
);

-- Transactions whose operator reference another transaction of the same operator and direction has too.
create table shared_operator_references (
  application_id uuid not null,
  transaction_id uuid not null,
  operator text not null,
  type text not null,
  operator_reference text not null,
  other_application_id uuid not null,
  other_transaction_id uuid not null,
  at timestamptz not null default clock_timestamp(),
  primary key (application_id, transaction_id)
);
create index shared_operator_references_newest on shared_operator_references (application_id, at);
create trigger refuse_change before delete or update on shared_operator_references for each row execute function refuse_change();
alter table shared_operator_references enable always trigger refuse_change;
create trigger refuse_truncate before truncate on shared_operator_references for each statement execute function refuse_change();
alter table shared_operator_references enable always trigger refuse_truncate;
