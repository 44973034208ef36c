-- The book of the people whom an application pays, and lists that are repeated from it.

-- Who is paid, as two people agreed on it: the first name and number of a person, and every later one. A payment of a list is traced to the person who
-- had its number at that time.
create table beneficiary_numbers (
  application_id uuid not null,
  change_id uuid not null,
  beneficiary_id uuid not null,
  name text not null check (length(name) between 1 and 200),
  operator text not null,
  phone_number text not null check (phone_number ~ '^[0-9]{8,15}$'),
  -- The present form of the number (lib/payments/phone-number.ts): both forms of a renumbered country are one person.
  phone_key text not null check (phone_key ~ '^[0-9]{8,15}$'),
  proposed_by uuid not null,
  confirmed_by uuid not null,
  -- The change of a file of people that two people agreed on; `change_id` is then an id of the row alone. Null: `change_id` is the change.
  import_id uuid,
  at timestamptz not null default clock_timestamp(),
  primary key (application_id, change_id),
  constraint two_people_set_it check (proposed_by <> confirmed_by)
);
create index beneficiary_numbers_by_phone on beneficiary_numbers (application_id, phone_key, at);
create index beneficiary_numbers_by_person on beneficiary_numbers (application_id, beneficiary_id, at);
create trigger refuse_change before update or delete on beneficiary_numbers for each row execute function refuse_change();
create trigger refuse_truncate before truncate on beneficiary_numbers for each statement execute function refuse_change();
alter table beneficiary_numbers enable always trigger refuse_change;
alter table beneficiary_numbers enable always trigger refuse_truncate;

create table beneficiaries (
  application_id uuid not null,
  -- The change that added the person.
  beneficiary_id uuid not null,
  -- The change that set the name and the number. The trigger below lets nothing else set them.
  change_id uuid not null,
  name text not null,
  operator text not null,
  phone_number text not null,
  phone_key text not null,
  -- The name in lower case without accents, for the search.
  folded_name text not null,
  group_name text check (length(group_name) between 1 and 100),
  -- The amount that a payment of the group pays this person; null: the maker fills it in each time.
  amount_minor bigint check (amount_minor > 0),
  changed_at timestamptz not null default clock_timestamp(),
  -- An archived person is in no list that is made from the book.
  archived_by uuid,
  archived_at timestamptz,
  primary key (application_id, beneficiary_id),
  constraint archived_by_somebody check ((archived_by is null) = (archived_at is null))
);
-- The name and the number of a person are those that two people agreed on in one change.
create function guard_beneficiary() returns trigger language plpgsql
set search_path from current as $$
begin
  if not exists (select from beneficiary_numbers n where n.application_id = new.application_id and n.change_id = new.change_id
      and (n.beneficiary_id, n.name, n.operator, n.phone_number, n.phone_key)
        = (new.beneficiary_id, new.name, new.operator, new.phone_number, new.phone_key)) then
    raise exception 'two people have not agreed on this name and number' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger guard_beneficiary before insert or update on beneficiaries for each row execute function guard_beneficiary();
alter table beneficiaries enable always trigger guard_beneficiary;
-- A number is one person's.
create unique index beneficiaries_by_number on beneficiaries (application_id, phone_key) where archived_at is null;
create index beneficiaries_by_name on beneficiaries (application_id, folded_name, beneficiary_id);
create index beneficiaries_by_group on beneficiaries (application_id, group_name) where archived_at is null;

-- The list that a batch repeats: an earlier batch, or a group of the book. Differences are computed from the rows of both as they are now.
create table batch_sources (
  application_id uuid not null,
  batch_id uuid not null,
  -- The list that it is compared with; null for the first list of a group.
  source_batch_id uuid,
  -- The group whose members are in it.
  group_name text,
  primary key (application_id, batch_id),
  constraint repeats_something check (source_batch_id is not null or group_name is not null)
);
create index batch_sources_by_group on batch_sources (application_id, group_name) where group_name is not null;

-- Whom a row of such a batch is about: a row of the earlier list, a person of the book, or both.
create table batch_source_rows (
  application_id uuid not null,
  batch_id uuid not null,
  row_number integer not null,
  source_row_number integer,
  beneficiary_id uuid,
  primary key (application_id, batch_id, row_number)
);

-- The times at which a list is prepared automatically, in the name of the maker who set it. Times are those of the application's business zone.
create table payment_schedules (
  application_id uuid not null,
  schedule_id uuid not null,
  -- Of the batches; their purpose, or null for that of the earlier list.
  name text not null check (length(name) between 1 and 200),
  purpose text check (length(purpose) between 1 and 140),
  -- The list that is repeated, or the group that is paid.
  source_batch_id uuid,
  group_name text check (length(group_name) between 1 and 100),
  every text not null check (every in ('once', 'week', 'month')),
  -- 1 is Monday.
  weekday integer check (weekday between 1 and 7),
  -- A day that every month has.
  month_day integer check (month_day between 1 and 28),
  day date,
  minute integer not null check (minute between 0 and 1439),
  maker_id uuid not null,
  -- A time before it is never made up for.
  set_at timestamptz not null,
  -- Null with an end: its only time has come.
  ended_by uuid,
  ended_at timestamptz,
  primary key (application_id, schedule_id),
  constraint day_fits check ((weekday is not null) = (every = 'week') and (month_day is not null) = (every = 'month') and (day is not null) = (every = 'once')),
  constraint one_source check ((source_batch_id is null) <> (group_name is null))
);
-- For the task: few rows at any time.
create index payment_schedules_live on payment_schedules (application_id, schedule_id) where ended_at is null;

-- The outcome of each time of a schedule. The key lets it run once, whichever process runs it.
create table payment_runs (
  application_id uuid not null,
  schedule_id uuid not null,
  due_at timestamptz not null,
  -- missed: no process ran within the hour. refused: the reason says why there is no batch.
  outcome text not null check (outcome in ('prepared', 'missed', 'refused')),
  reason text,
  batch_id uuid,
  at timestamptz not null default clock_timestamp(),
  primary key (application_id, schedule_id, due_at),
  constraint prepared_has_batch check ((outcome = 'prepared') = (batch_id is not null)),
  constraint refused_has_reason check ((outcome = 'refused') = (reason is not null))
);

-- An e-mail about a list that was not prepared: its time was missed, or it was refused.
create function note_unprepared_list() returns trigger language plpgsql set search_path from current as $$
begin
  insert into notices (application_id, cause, subject_id) values (new.application_id, 'list_not_prepared', new.schedule_id);
  return null;
end $$;
create trigger note_unprepared after insert on payment_runs for each row when (new.outcome <> 'prepared') execute function note_unprepared_list();
