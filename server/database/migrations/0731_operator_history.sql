-- Every change of availability, per operator and direction, for as long as the pages look back.
create table operator_availability (
  operator text not null,
  type text not null check (type in ('COLLECT', 'DEPOSIT')),
  since timestamptz not null,
  state text not null check (state in ('OPERATIONAL', 'DELAYED', 'CLOSED')),
  primary key (operator, type, since)
);
insert into operator_availability (operator, type, since, state) select c.operator, c.type, c.since, c.state from operator_circuits c;

-- What became of the transactions that were submitted in each hour, and how long that took: `bucket` n is 1.2^n to 1.2^(n+1) milliseconds.
-- Added up from the final transactions, behind the marks of both statuses.
create table operator_outcomes (
  application_id uuid not null,
  operator text not null,
  type text not null,
  hour timestamptz not null,
  outcome text not null,
  bucket smallint not null,
  transaction_count bigint not null,
  primary key (application_id, operator, hour, type, outcome, bucket)
);
create table operator_outcome_marks (
  application_id uuid primary key,
  success_until bigint not null,
  failed_until bigint not null
);
