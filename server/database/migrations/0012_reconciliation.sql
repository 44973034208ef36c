-- Close of day: the operators' own statements, and which of their lines belongs to which transaction.
--
-- An account at an operator belongs to the installation, so every table has the application that runs it first in its key. A line may belong to
-- a transaction of any application.

-- The settings of a wallet that people made (lib/reconciliation/wallets.ts). One without a row has the settings of its country.
create table wallets (
  application_id uuid not null,
  wallet text not null,
  -- The number of the account, as the operator prints it. A statement of another number is refused.
  number text check (number ~ '^[0-9]{4,15}$'),
  zone text not null,
  -- The minute after local midnight at which the operator's day begins.
  cutoff_minute integer not null check (cutoff_minute between 0 and 1439),
  -- The agreed fee of a payment; null: it is not checked.
  fee_ppm integer check (fee_ppm between 0 and 1000000),
  fee_fixed_minor bigint check (fee_fixed_minor >= 0),
  -- How the agreed fee is rounded to a whole unit, the tax on it, and where the operator charges it: beside the amount or netted from it, in the
  -- line of the payment; in a line of its own; or once a month.
  fee_rounding text not null default 'half_up' check (fee_rounding in ('half_up', 'up', 'down')),
  fee_tax_ppm integer not null default 0 check (fee_tax_ppm between 0 and 1000000),
  fee_form text not null default 'beside' check (fee_form in ('beside', 'netted', 'own_line', 'monthly')),
  -- The balance at the beginning of a day, from which every later one follows.
  opening_day date,
  opening_minor bigint,
  changed_by uuid not null,
  changed_at timestamptz not null default clock_timestamp(),
  primary key (application_id, wallet),
  constraint fee_is_whole check ((fee_ppm is null) = (fee_fixed_minor is null)),
  constraint opening_is_whole check ((opening_day is null) = (opening_minor is null))
);

-- Every balance that an operator reported, for 90 days, beside what the ledger said at that moment.
create table operator_balance_polls (
  application_id uuid not null,
  operator text not null,
  checked_at timestamptz not null,
  collect_minor bigint,
  deposit_minor bigint,
  -- All accounts together; null if the operator does not report all of them.
  reported_minor bigint,
  ledger_minor bigint not null,
  -- Since when they differ, and by how much more than payments in progress and the wallet book explain, since when; null if not at all.
  differs_since timestamptz,
  unexplained_minor bigint,
  unexplained_since timestamptz,
  primary key (application_id, operator, checked_at)
);

-- A statement as it was uploaded. uploading: pieces arrive. checking: it is complete, and a worker reads it. ready: a person sees the counts.
-- importing: a worker stores its lines. unmapped: a person says what its columns are. A refused or withdrawn file can be uploaded again.
create table statement_files (
  application_id uuid not null,
  file_id uuid not null,
  wallet text not null,
  file_name text not null check (length(file_name) between 1 and 200),
  byte_count bigint not null check (byte_count > 0),
  -- When the file was last changed on the person's machine: an interrupted upload of the same file is continued.
  modified_ms bigint not null,
  sha256 bytea check (length(sha256) = 32),
  state text not null check (state in ('uploading', 'checking', 'ready', 'importing', 'imported', 'unmapped', 'refused', 'withdrawn')),
  format text,
  -- The account numbers that the file names.
  accounts text[] not null default '{}',
  first_at timestamptz,
  last_at timestamptz,
  first_day date,
  last_day date,
  is_newest_first boolean not null default false,
  prints_balances boolean not null default false,
  line_count integer not null default 0,
  -- Of the lines: those that failed, and those that another file brought already.
  failed_count integer not null default 0,
  known_count integer not null default 0,
  -- Rows that could not be read.
  bad_count integer not null default 0,
  in_minor bigint not null default 0,
  out_minor bigint not null default 0,
  opening_minor bigint,
  closing_minor bigint,
  -- The settings of the wallet with which it was checked: the import reads it with the same ones.
  checked_for jsonb,
  -- Why it was refused or is not read yet: {"kind", "values", "sample"}.
  problem jsonb,
  -- Null for a file that the service fetched from the operator: the day of the operator's calendar that it lists.
  uploaded_by uuid,
  fetched_day date,
  uploaded_at timestamptz not null default clock_timestamp(),
  decided_by uuid,
  decided_at timestamptz,
  primary key (application_id, file_id),
  constraint file_has_one_source check ((uploaded_by is null) = (fetched_day is not null)),
  constraint complete_file_has_digest check (state = 'uploading' or sha256 is not null),
  constraint unread_file_has_problem check ((state in ('refused', 'unmapped')) = (problem is not null))
);
-- One file is imported once, however often and under whatever name it is uploaded.
create unique index statement_files_content on statement_files (application_id, wallet, sha256)
  where sha256 is not null and state not in ('refused', 'withdrawn');
create unique index statement_files_uploading on statement_files (application_id, wallet, uploaded_by, file_name, byte_count, modified_ms)
  where state = 'uploading';
-- A day is fetched once, also by two processes at once, and not again after a person has withdrawn it.
create unique index statement_files_fetched on statement_files (application_id, wallet, fetched_day) where fetched_day is not null;
create index statement_files_by_time on statement_files (application_id, uploaded_at desc);
create index statement_files_open on statement_files (uploaded_at) where state in ('checking', 'importing');

-- The columns of a header that no format has, as two people named them.
create table statement_columns (
  application_id uuid not null,
  wallet text not null,
  -- The digest of the folded names.
  signature text not null,
  header text[] not null,
  mapping jsonb not null,
  changed_by uuid not null,
  changed_at timestamptz not null default clock_timestamp(),
  primary key (application_id, wallet, signature)
);

-- The bytes of a file in pieces of 1 MB, numbered from 0, each compressed.
create table statement_pieces (
  application_id uuid not null,
  file_id uuid not null,
  number integer not null check (number >= 0),
  byte_count integer not null check (byte_count > 0),
  content bytea not null,
  stored_at timestamptz not null default clock_timestamp(),
  primary key (application_id, file_id, number)
);
-- Compressed already.
alter table statement_pieces alter column content set storage external;
-- Retention removes the oldest first.
create index statement_pieces_by_time on statement_pieces (application_id, stored_at);

-- Rows of a file that could not be read, kept with it.
create table statement_bad_rows (
  application_id uuid not null,
  file_id uuid not null,
  row_number integer not null,
  problem text not null,
  cells text[] not null,
  primary key (application_id, file_id, row_number)
);

-- Lines as the operator printed them, once per line however many files repeat it. Amounts are hundredths, signed from the wallet's side. The cells of
-- a line are in the pieces of its file, in the row that `position` names.
create table statement_lines (
  application_id uuid not null,
  line_id bigint generated always as identity,
  wallet text not null,
  -- The operator's id with the amount, or a digest of the content; equal ones in one file are counted.
  line_key text not null,
  occurrence integer not null,
  file_id uuid not null,
  -- The order of lines of one instant.
  position integer not null,
  at timestamptz not null,
  -- The operator's day, by the zone and the cut-off of the wallet. If that day was signed before the line arrived, the next open one, and
  -- `origin_day` is its own.
  local_day date not null,
  origin_day date check (origin_day < local_day),
  kind text not null check (kind in ('payment', 'fee', 'tax', 'commission', 'transfer', 'reversal', 'other', 'failed')),
  gross_minor bigint not null,
  fee_minor bigint not null,
  tax_minor bigint not null,
  net_minor bigint not null,
  balance_minor bigint,
  operator_id text,
  our_id uuid,
  our_application_id uuid,
  -- Every form of the customer's number, the present one first (lib/payments/phone-number.ts).
  phone_forms text[] not null,
  type text not null,
  status text not null,
  primary key (application_id, line_id),
  constraint statement_lines_key unique (application_id, wallet, line_key, occurrence),
  -- A failed line has amounts and is in no sum.
  constraint net_is_what_remains check (net_minor = case when kind = 'failed' then 0 else gross_minor - fee_minor - tax_minor end)
);
create index statement_lines_by_day on statement_lines (application_id, wallet, local_day, at);
create index statement_lines_late on statement_lines (application_id, file_id) where origin_day is not null;
create trigger refuse_change before update or delete on statement_lines for each row execute function refuse_change();
create trigger refuse_truncate before truncate on statement_lines for each statement execute function refuse_change();
alter table statement_lines enable always trigger refuse_change;
alter table statement_lines enable always trigger refuse_truncate;

create index statement_lines_transfers on statement_lines (application_id, wallet, local_day) where kind = 'transfer';

-- The two lines of a transfer between our wallets at one operator, with the move of the ledger that it is. Without a move both lines are posted in the
-- wallet book.
create table transfer_pairs (
  application_id uuid not null,
  out_line_id bigint not null,
  in_line_id bigint not null,
  move_application_id uuid,
  move_id uuid,
  at timestamptz not null default clock_timestamp(),
  primary key (application_id, out_line_id),
  constraint transfer_pairs_in unique (application_id, in_line_id),
  constraint transfer_pairs_move unique (application_id, move_application_id, move_id),
  constraint move_is_whole check ((move_application_id is null) = (move_id is null))
);
create trigger refuse_change before update or delete on transfer_pairs for each row execute function refuse_change();
create trigger refuse_truncate before truncate on transfer_pairs for each statement execute function refuse_change();
alter table transfer_pairs enable always trigger refuse_change;
alter table transfer_pairs enable always trigger refuse_truncate;
create index ledger_moves on ledger_postings (operator, at) where kind = 'move';

-- Which transaction a line belongs to. A line belongs to one, and a transaction has one line that settles it (ordinal 0) and at most one that
-- says it failed; further payments for the same transaction count from ordinal 1. An undone match is deleted here and stays in match_events.
create table line_matches (
  application_id uuid not null,
  line_id bigint not null,
  -- Several parts only for one line that pays several transactions of one operator's reference.
  part smallint not null default 0,
  matched_application_id uuid not null,
  transaction_id uuid not null,
  effect text not null check (effect in ('settle', 'failed')),
  ordinal smallint not null default 0 check (ordinal >= 0),
  rule text not null check (rule in ('our_id', 'operator_id', 'reference_group', 'phone', 'twins', 'person')),
  rule_version smallint not null,
  -- Lines and transactions that cannot be told apart: their money is right, who paid which is open.
  group_id uuid,
  person_id uuid,
  note text,
  -- Found after the day of its line was signed: the day in which it counts. It changes nothing in the signed one.
  late_day date,
  at timestamptz not null default clock_timestamp(),
  primary key (application_id, line_id, part),
  constraint line_matches_transaction unique (application_id, matched_application_id, transaction_id, effect, ordinal),
  constraint only_people_match_by_hand check ((rule = 'person') = (person_id is not null))
);

-- Every match by hand and every undo, for good. A match by a rule is in line_matches until it is undone, and then here with the rule: a statement of a
-- million lines would only be written twice.
create table match_events (
  application_id uuid not null,
  event_id bigint generated always as identity,
  event text not null check (event in ('matched', 'undone')),
  line_id bigint not null,
  part smallint not null,
  matched_application_id uuid not null,
  transaction_id uuid not null,
  effect text not null,
  ordinal smallint not null,
  rule text not null,
  rule_version smallint not null,
  group_id uuid,
  -- Of the match or the undo.
  person_id uuid,
  note text,
  -- When the match was made that was undone.
  matched_at timestamptz,
  at timestamptz not null default clock_timestamp(),
  primary key (application_id, event_id)
);
-- A pair that a person took apart is never matched by a rule again.
create index match_events_undone on match_events (application_id, line_id) where event = 'undone';
create trigger refuse_change before update or delete on match_events for each row execute function refuse_change();
create trigger refuse_truncate before truncate on match_events for each statement execute function refuse_change();
alter table match_events enable always trigger refuse_change;
alter table match_events enable always trigger refuse_truncate;

-- A match is undone, never changed.
create function record_match() returns trigger language plpgsql
set search_path from current as $$
begin
  insert into match_events (application_id, event, line_id, part, matched_application_id, transaction_id, effect, ordinal, rule, rule_version,
                            group_id, person_id, note)
    select application_id, 'matched', line_id, part, matched_application_id, transaction_id, effect, ordinal, rule, rule_version,
           group_id, person_id, note from changed_rows where rule = 'person';
  return null;
end $$;
create trigger record_match after insert on line_matches referencing new table as changed_rows
  for each statement execute function record_match();
create trigger refuse_update before update on line_matches for each row execute function refuse_change();
alter table line_matches enable always trigger record_match;
alter table line_matches enable always trigger refuse_update;

-- Exceptions, which a person has to clear up: a line or a transaction in a class that nothing explains, or a result that its operator contradicts. Its outcome
-- says why it is closed; neither a status nor a figure of a day depends on it.
create table exceptions (
  application_id uuid not null,
  exception_id uuid not null default gen_random_uuid(),
  -- `line 42`, or `transaction`, its application and its id: each has one exception, which may be opened again.
  subject text not null,
  -- unconfirmed: somebody works on a payment of this application whose outcome is unknown.
  class text not null check (class in ('contradicted', 'success_failed_there', 'paid_failed_here', 'second_payment', 'unknown_payment',
                                       'success_absent_there', 'amount_differs', 'fee_differs', 'unconfirmed')),
  operator text not null,
  type text not null check (type in ('COLLECT', 'DEPOSIT')),
  -- The account and its day; null while only the operator's answers say something, and no statement.
  wallet text,
  local_day date,
  line_id bigint,
  matched_application_id uuid,
  transaction_id uuid,
  -- The amount that moved at the operator, or should have, without a sign.
  amount_minor bigint not null check (amount_minor >= 0),
  opened_at timestamptz not null default clock_timestamp(),
  owner_id uuid,
  owned_since timestamptz,
  -- matched: it is in no such class now. agreed: the operator confirmed our result. adjusted: two people agreed on a posting. explained: its
  -- owner said why. answered: the outcome of an unconfirmed payment is known.
  outcome text check (outcome in ('matched', 'agreed', 'adjusted', 'explained', 'answered')),
  change_id uuid,
  -- Null: the service found it closed.
  closed_by uuid,
  closed_at timestamptz,
  primary key (application_id, exception_id),
  constraint exceptions_subject unique (application_id, subject),
  constraint day_has_wallet check ((wallet is null) = (local_day is null)),
  constraint owner_has_time check ((owner_id is null) = (owned_since is null)),
  constraint closed_has_outcome check ((outcome is null) = (closed_at is null)),
  constraint money_moves_by_two check ((outcome is not distinct from 'adjusted') = (change_id is not null)),
  constraint owner_explains check (outcome is distinct from 'explained' or closed_by is not distinct from owner_id and owner_id is not null)
);
create index exceptions_open on exceptions (application_id, opened_at) where outcome is null;
create index exceptions_by_day on exceptions (application_id, wallet, local_day);

-- Everything that happened to an exception, for good.
create table exception_events (
  application_id uuid not null,
  event_id bigint generated always as identity,
  exception_id uuid not null,
  event text not null check (event in ('opened', 'class_changed', 'taken', 'handed_over', 'noted', 'closed', 'reopened')),
  class text not null,
  owner_id uuid,
  outcome text,
  -- Null: the service.
  person_id uuid,
  note text not null default '',
  at timestamptz not null default clock_timestamp(),
  primary key (application_id, event_id)
);
create index exception_events_of_one on exception_events (application_id, exception_id, event_id);
create trigger refuse_change before update or delete on exception_events for each row execute function refuse_change();
create trigger refuse_truncate before truncate on exception_events for each statement execute function refuse_change();
alter table exception_events enable always trigger refuse_change;
alter table exception_events enable always trigger refuse_truncate;

create function record_opening() returns trigger language plpgsql
set search_path from current as $$
begin
  insert into exception_events (application_id, exception_id, event, class, at)
    select application_id, exception_id, 'opened', class, opened_at from changed_rows;
  return null;
end $$;
create trigger record_opening after insert on exceptions referencing new table as changed_rows
  for each statement execute function record_opening();
alter table exceptions enable always trigger record_opening;

-- A contradiction is an exception from the moment in which it is stored, whichever process stores it. One about which somebody worked while its
-- outcome was unknown keeps its owner and its notes.
create function open_contradiction() returns trigger language plpgsql
set search_path from current as $$
begin
  with opened as (
    insert into exceptions (application_id, subject, class, operator, type, matched_application_id, transaction_id, amount_minor)
      select i.application_id, format('transaction %s %s', t.application_id, t.transaction_id), 'contradicted', t.operator, t.type,
             t.application_id, t.transaction_id, t.amount_minor
        from applications i
        join transactions t on t.application_id = new.application_id and t.transaction_id = new.transaction_id
       where i.runs_installation
    on conflict on constraint exceptions_subject do update
      set class = 'contradicted', outcome = null, closed_by = null, closed_at = null, opened_at = clock_timestamp()
      where exceptions.class = 'unconfirmed'
    -- NEW is the row of the trigger.
    returning with (old as before, new as after) after.application_id, after.exception_id, after.owner_id, before.class as class_before,
              before.outcome as outcome_before)
  insert into exception_events (application_id, exception_id, event, class, owner_id)
    select application_id, exception_id, case when outcome_before is null then 'class_changed' else 'reopened' end, 'contradicted', owner_id
      from opened where class_before is not null;
  insert into close_revisions as r (application_id, change_number) select i.application_id, 1 from applications i where i.runs_installation
    on conflict (application_id) do update set change_number = r.change_number + 1;
  return null;
end $$;
create trigger open_contradiction after insert on operator_contradictions for each row when (new.number = 1)
  execute function open_contradiction();
alter table operator_contradictions enable always trigger open_contradiction;

-- How often the close of day of an installation has changed, for its open pages. It is not the change_number of its counters: an import takes a
-- minute, and writing there holds the lock of the application's money until the commit.
create table close_revisions (
  application_id uuid primary key,
  change_number bigint not null default 0
);

-- Days of wallets whose classes may have changed since their exceptions were opened.
create table days_to_examine (
  application_id uuid not null,
  wallet text not null,
  local_day date not null,
  primary key (application_id, wallet, local_day)
);

-- The sums of a day, kept once they were computed: classifying 200,000 lines takes seconds. `version` rises with every change of the day's lines or
-- matches, so that sums which were being computed meanwhile are not kept.
create table wallet_days (
  application_id uuid not null,
  wallet text not null,
  local_day date not null,
  version integer not null default 0,
  -- {"settings", "lines", "booked", "printed", "open"}; null: to be computed.
  sums jsonb,
  computed_at timestamptz,
  primary key (application_id, wallet, local_day),
  constraint sums_have_time check ((sums is null) = (computed_at is null))
);

-- A day that is to be examined has other sums.
create function forget_sums() returns trigger language plpgsql
set search_path from current as $$
begin
  insert into wallet_days as d (application_id, wallet, local_day) values (new.application_id, new.wallet, new.local_day)
  on conflict (application_id, wallet, local_day) do update set version = d.version + 1, sums = null, computed_at = null;
  return null;
end $$;
create trigger forget_sums after insert or update on days_to_examine for each row execute function forget_sums();
alter table days_to_examine enable always trigger forget_sums;

-- A file changes the day before it too: a success is absent only once the next day is covered.
create function examine_imported_days() returns trigger language plpgsql
set search_path from current as $$
begin
  insert into days_to_examine (application_id, wallet, local_day)
    select new.application_id, new.wallet, day::date from generate_series(new.first_day - 1, new.last_day, interval '1 day') day
    union
    select new.application_id, new.wallet, l.local_day from statement_lines l
     where l.application_id = new.application_id and l.file_id = new.file_id and l.origin_day is not null
  -- The lock makes an examination in progress wait for this transaction, whose lines it would not see.
  on conflict (application_id, wallet, local_day) do update set local_day = excluded.local_day;
  return null;
end $$;
create trigger examine_imported_days after update on statement_files for each row
  when (new.state = 'imported' and old.state <> 'imported') execute function examine_imported_days();
