-- Treasury: the bank accounts of applications, money on its way to them, and when an application's money is to be withdrawn.

-- Added and removed by two people. A removed one stays, because withdrawals name it.
create table bank_accounts (
  application_id uuid not null,
  -- The change that added it.
  bank_account_id uuid not null,
  holder text not null check (length(holder) between 1 and 100),
  bank text not null check (length(bank) between 1 and 100),
  currency text not null,
  -- An IBAN, a RIB of the countries of the franc CFA, or the number of an account where a bank has neither (lib/money/bank-number.ts).
  form text not null check (form in ('iban', 'rib', 'account')),
  number text not null check (number ~ '^[A-Z0-9]{6,34}$'),
  added_by uuid not null,
  added_at timestamptz not null default clock_timestamp(),
  removed_by uuid,
  removed_at timestamptz,
  primary key (application_id, bank_account_id),
  constraint removed_by_somebody check ((removed_by is null) = (removed_at is null))
);
create unique index bank_accounts_present on bank_accounts (application_id, number, currency) where removed_at is null;

-- The facts of an account never change: two people approved them.
create function guard_bank_account() returns trigger language plpgsql
set search_path from current as $$
begin
  if tg_op = 'UPDATE' and old.removed_at is null
     and to_jsonb(new) - '{removed_by,removed_at}'::text[] = to_jsonb(old) - '{removed_by,removed_at}'::text[] then
    return new;
  end if;
  raise exception 'a bank account is never changed: remove it and add another' using errcode = 'restrict_violation';
end $$;
create trigger guard_bank_account before update or delete on bank_accounts for each row execute function guard_bank_account();
alter table bank_accounts enable always trigger guard_bank_account;

-- The smallest amount that is withdrawn in a currency.
create table withdrawal_minimums (
  application_id uuid not null,
  currency text not null,
  minimum_minor bigint not null check (minimum_minor > 0),
  changed_by uuid not null,
  changed_at timestamptz not null default clock_timestamp(),
  primary key (application_id, currency)
);

-- When everything above an amount is proposed for withdrawal: in the name of the person who proposed the schedule, so that another one confirms.
-- Times are those of the application's business zone.
create table withdrawal_schedules (
  application_id uuid not null,
  operator text not null,
  account text not null check (account in ('collect', 'deposit')),
  bank_account_id uuid not null,
  every text not null check (every in ('day', 'week', 'month')),
  -- 1 is Monday.
  weekday integer check (weekday between 1 and 7),
  -- A day that every month has.
  month_day integer check (month_day between 1 and 28),
  minute integer not null check (minute between 0 and 1439),
  keep_minor bigint not null check (keep_minor >= 0),
  proposed_by uuid not null,
  confirmed_by uuid not null,
  -- A time before it is never made up for.
  set_at timestamptz not null default clock_timestamp(),
  primary key (application_id, operator, account),
  constraint day_fits check ((weekday is not null) = (every = 'week') and (month_day is not null) = (every = 'month')),
  constraint two_people_set_it check (proposed_by <> confirmed_by)
);

-- The outcome of each time of a schedule. The key lets it run once, whichever process runs it.
create table withdrawal_runs (
  application_id uuid not null,
  operator text not null,
  account text not null check (account in ('collect', 'deposit')),
  due_at timestamptz not null,
  -- missed: no process ran within the hour. waiting: an earlier withdrawal of the balance still waits for its confirmation. refused: the people or
  -- the bank account of the schedule are gone.
  outcome text not null check (outcome in ('proposed', 'below_minimum', 'missed', 'waiting', 'refused')),
  reason text,
  amount_minor bigint,
  change_id uuid,
  at timestamptz not null default clock_timestamp(),
  primary key (application_id, operator, account, due_at),
  constraint proposed_has_change check ((outcome = 'proposed') = (change_id is not null and amount_minor is not null))
);
create index withdrawal_runs_by_time on withdrawal_runs (application_id, due_at desc);

-- How far money is that is on its way to a bank or between own accounts. Like everything about an account at an operator it belongs to the
-- application that runs the installation; `ledger_id` is the application whose change of two people it is. left: the line of the account that it
-- leaves exists. arrived: the other account has it. returned: it came back; of a withdrawal two people have corrected the balance.
create table transit_marks (
  application_id uuid not null,
  ledger_id uuid not null,
  change_id uuid not null,
  step text not null check (step in ('left', 'arrived', 'returned')),
  day date not null,
  -- As the operator, the bank or the correction names it.
  reference text not null check (length(reference) between 1 and 100),
  line_id bigint,
  -- Null: the service found the line.
  person_id uuid,
  at timestamptz not null default clock_timestamp(),
  primary key (application_id, ledger_id, change_id, step),
  constraint returning_has_no_line check (line_id is null or step <> 'returned'),
  constraint somebody_or_a_line check (person_id is not null or line_id is not null)
);
-- A line shows one transfer, and money arrives or returns.
create unique index transit_marks_line on transit_marks (application_id, line_id) where line_id is not null;
create unique index transit_marks_end on transit_marks (application_id, ledger_id, change_id) where step <> 'left';
-- A line that a person took from a withdrawal is not found for it again.
create table transit_lines_undone (
  application_id uuid not null,
  ledger_id uuid not null,
  change_id uuid not null,
  line_id bigint not null,
  primary key (application_id, ledger_id, change_id, line_id)
);
-- A correction is the return of one withdrawal.
create unique index transit_marks_return on transit_marks (application_id, ledger_id, reference) where step = 'returned';
-- The marks of a withdrawal, whichever application runs the installation.
create index transit_marks_by_withdrawal on transit_marks (ledger_id, change_id);
create index withdrawals_confirmed on proposed_changes (application_id, decided_at) where kind = 'funding.withdrawal' and outcome = 'confirmed';
-- Each reference plans one transfer.
create unique index transfers_planned_once on proposed_changes (application_id, subject) where kind = 'wallet.plan' and outcome = 'confirmed';
create index withdrawals_waiting on proposed_changes (application_id) where kind = 'funding.withdrawal' and outcome is null;
