-- Tables that lists, totals and statements read instead of all transactions. Scheduled tasks write these tables from finished rows, so a payment
-- pays nothing for them. What a task has not reached yet is read from its source: it is never needed for a right answer, only for a fast one.

-- Totals of days and months that can no longer change: they ended more than a day ago, and nothing that was created on them is open.
-- One row where transaction_days has up to 26.
create table sealed_totals (
  application_id uuid not null,
  status text not null check (status in ('SUCCESS', 'FAILED')),
  span text not null check (span in ('day', 'month')),
  first_day date not null,
  transaction_count bigint not null,
  amount_minor bigint not null,
  primary key (application_id, status, span, first_day)
);

-- Days up to sealed_through are sealed, except open_days, on which something was still open at the last look.
create table application_seals (
  application_id uuid primary key,
  sealed_through date not null,
  open_days date[] not null default '{}'
);

-- The same totals by operator, for months of which every day is sealed.
create table sealed_operator_months (
  application_id uuid not null,
  month date not null,
  operator text not null,
  type text not null,
  status text not null check (status in ('SUCCESS', 'FAILED')),
  transaction_count bigint not null,
  amount_minor bigint not null,
  primary key (application_id, month, operator, type, status)
);

-- Fees of succeeded transactions by UTC day of creation.
create table fee_days (
  application_id uuid not null,
  day date not null,
  operator text not null,
  type text not null,
  fee_system_minor bigint not null check (fee_system_minor >= 0),
  fee_app_minor bigint not null check (fee_app_minor >= 0),
  primary key (application_id, day, operator, type)
);

-- The final sequence of SUCCESS up to which an application's fees are in fee_days.
create table fee_marks (
  application_id uuid primary key,
  added_until bigint not null
);

-- The same by month: totals over years read a hundred rows, not ten years of days.
create table fee_months (
  application_id uuid not null,
  month date not null,
  operator text not null,
  type text not null,
  fee_system_minor bigint not null check (fee_system_minor >= 0),
  fee_app_minor bigint not null check (fee_app_minor >= 0),
  primary key (application_id, month, operator, type)
);

-- A trigger keeps the months equal to the days, so that no statement that writes a day can forget its month.
create function add_fee_month() returns trigger language plpgsql
set search_path from current as $$
begin
  insert into fee_months as m (application_id, month, operator, type, fee_system_minor, fee_app_minor)
    values (new.application_id, date_trunc('month', new.day)::date, new.operator, new.type,
      new.fee_system_minor - coalesce(old.fee_system_minor, 0), new.fee_app_minor - coalesce(old.fee_app_minor, 0))
    on conflict (application_id, month, operator, type) do update
      set fee_system_minor = m.fee_system_minor + excluded.fee_system_minor, fee_app_minor = m.fee_app_minor + excluded.fee_app_minor;
  return null;
end $$;
create trigger add_fee_month after insert or update on fee_days for each row execute function add_fee_month();

-- The time zones in which an application's sums are kept by business day. There is no row for UTC: its sums are the days themselves.
create table day_zones (
  application_id uuid not null,
  time_zone text not null,
  -- Transactions from this sequence on are in transaction_day_edges; null: counting has not started.
  counted_from bigint check (counted_from >= 1),
  -- Whether the sealed postings are in ledger_day_edges.
  is_ledger_counted boolean not null default false,
  -- Becomes the application's zone as soon as everything is counted.
  is_wanted boolean not null default false,
  last_used_at timestamptz not null default clock_timestamp(),
  primary key (application_id, time_zone)
);

-- Transactions created on one UTC day that belong to the business day before or after it. A sum over business days is the sum over the same UTC
-- days, less what belongs to other business days, plus what comes from other UTC days.
create table transaction_day_edges (
  application_id uuid not null,
  time_zone text not null,
  status text not null,
  day date not null,
  business_day date not null,
  operator text not null,
  type text not null,
  -- Never below zero. Without checks, because a move adds and takes in one statement, and a check would look at what it takes alone.
  transaction_count bigint not null,
  amount_minor bigint not null,
  fee_system_minor bigint not null,
  fee_app_minor bigint not null,
  primary key (application_id, time_zone, status, day, business_day, operator, type)
);

-- The same for ledger_days, up to the same instant (ledger_seal).
create table ledger_day_edges (
  application_id uuid not null,
  time_zone text not null,
  operator text not null,
  day date not null,
  business_day date not null,
  posting_count bigint not null,
  collect_minor bigint not null,
  deposit_minor bigint not null,
  held_minor bigint not null,
  collected_minor bigint not null,
  paid_minor bigint not null,
  fees_minor bigint not null,
  funded_minor bigint not null,
  corrected_minor bigint not null,
  withdrawn_minor bigint not null,
  reversed_minor bigint not null,
  late_minor bigint not null,
  conceded_minor bigint not null,
  fees_out_minor bigint not null,
  collected_count bigint not null,
  paid_count bigint not null,
  fees_app_minor bigint not null,
  collect_fees_minor bigint not null,
  collect_fees_app_minor bigint not null,
  placed_minor bigint not null,
  released_minor bigint not null,
  primary key (application_id, time_zone, operator, day, business_day)
);

-- The customers of an application, for the search box. The service folds the names (lower case, no accents), because PostgreSQL folds by the
-- locale of its own installation.
create table customers (
  application_id uuid not null,
  phone_number text collate "C" not null,
  folded_name text collate "C" not null,
  customer_name text not null,
  primary key (application_id, phone_number, folded_name)
);

-- One row per word of a name, so that a search may start with any of them.
create table customer_words (
  application_id uuid not null,
  word text collate "C" not null,
  phone_number text collate "C" not null,
  primary key (application_id, word, phone_number)
);

-- The sequence up to which an application's transactions are in customers and customer_words.
create table customer_marks (
  application_id uuid primary key,
  listed_until bigint not null
);

-- Every file that left the service. A row is written before the first byte and completed after the last: without finished_at it was broken off.
create table exports (
  application_id uuid not null,
  export_id uuid not null,
  person_id uuid not null,
  format text not null check (format in ('csv', 'xlsx')),
  -- The filter as in the address of the list; with `selected`, only that many ticked rows.
  query text not null,
  selected integer,
  -- In their order; null: all columns.
  columns text[],
  -- The zone of the days in the filter.
  time_zone text not null,
  cut_off_at timestamptz not null,
  started_at timestamptz not null default clock_timestamp(),
  finished_at timestamptz,
  row_count bigint,
  -- [{"currency", "count", "amount"}]
  totals jsonb,
  data_sha256 bytea check (length(data_sha256) = 32),
  file_sha256 bytea check (length(file_sha256) = 32),
  file_bytes bigint,
  -- When the whole file was stored; null: too large, removed to make room, or never finished.
  stored_at timestamptz,
  primary key (application_id, export_id)
);
create index exports_by_time on exports (application_id, started_at desc);
-- Answers whether a file that somebody holds came from here.
create index exports_by_file on exports (application_id, file_sha256);

-- Stored files in pieces, so that neither writing nor reading one holds more than a piece in memory.
create table export_pieces (
  application_id uuid not null,
  export_id uuid not null,
  number integer not null check (number >= 0),
  stored_at timestamptz not null default clock_timestamp(),
  content bytea not null,
  primary key (application_id, export_id, number)
);
-- Retention removes the oldest first.
create index export_pieces_by_time on export_pieces (application_id, stored_at);
