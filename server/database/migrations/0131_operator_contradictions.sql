-- What operators say against a final result. The result never changes; people see these and talk to the operator.
create table operator_contradictions (
  application_id uuid not null,
  transaction_id uuid not null,
  -- 1: what contradicts the result. 2: what the operator said when it was asked about it.
  number smallint not null check (number in (1, 2)),
  source text not null check (source in ('callback', 'submit', 'query')),
  said text not null check (said in ('succeeded', 'failed', 'pending', 'not_found', 'unknown')),
  stored_status text not null check (stored_status in ('SUCCESS', 'FAILED')),
  http_status integer,
  answer text not null,
  at timestamptz not null,
  primary key (application_id, transaction_id, number)
);
create index operator_contradictions_newest on operator_contradictions (application_id, at) where number = 1;

create trigger refuse_change before update or delete on operator_contradictions for each row execute function refuse_change();
create trigger refuse_truncate before truncate on operator_contradictions for each statement execute function refuse_change();
alter table operator_contradictions enable always trigger refuse_change;
alter table operator_contradictions enable always trigger refuse_truncate;

-- Contradictions about which the operator is still to be asked. A row ends with the operator's answer, or after its last try.
create table contradiction_queries (
  application_id uuid not null,
  transaction_id uuid not null,
  operator text not null,
  tries smallint not null default 0,
  next_at timestamptz not null,
  primary key (application_id, transaction_id)
);
create index contradiction_queries_due on contradiction_queries (operator, next_at);
