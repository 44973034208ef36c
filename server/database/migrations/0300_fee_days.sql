-- Fees of succeeded transactions per UTC day of creation, for the totals: nothing on the hot path writes here; a scheduled task adds the
-- transactions that have succeeded since it last ran. Split by operator and type, like transaction_days.
create table fee_days (
  application_id uuid not null,
  day date not null,
  operator text not null,
  type text not null,
  fee_system_minor bigint not null check (fee_system_minor >= 0),
  fee_app_minor bigint not null check (fee_app_minor >= 0),
  primary key (application_id, day, operator, type)
);

-- Up to which final sequence of SUCCESS an application's fees are in the table above.
create table fee_marks (
  application_id uuid primary key,
  added_until bigint not null
);

-- What a person started, newest first. The application's program has no maker, so its transactions cost nothing here.
create index transactions_by_maker on transactions (application_id, maker_id, sequence) where maker_id is not null;
