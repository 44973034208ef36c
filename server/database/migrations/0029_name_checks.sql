-- Checks of the accounts in a file: under which names the operators have registered its receivers.

-- A person's wish to have the accounts of a batch checked. A task checks a few of them each minute; the answers are in account_checks. One per batch:
-- asked for again, it begins with what is not known yet.
create table batch_name_checks (
  application_id uuid not null,
  batch_id uuid not null,
  -- Whose checks they count as.
  asked_by uuid not null references people,
  asked_at timestamptz not null default clock_timestamp(),
  -- Null while rows wait.
  ended_at timestamptz,
  -- complete: every row whose operator can be asked was. limited: the file, the person or the application has used up what 24 hours allow. stopped: the
  -- batch was discarded, or the person may no longer make payments.
  ending text check (ending in ('complete', 'limited', 'stopped')),
  primary key (application_id, batch_id),
  foreign key (application_id, batch_id) references batches,
  constraint name_check_ends_for_a_reason check ((ended_at is null) = (ending is null))
);
-- For the task: few rows at any time.
create index batch_name_checks_open on batch_name_checks (asked_at) where ended_at is null;
