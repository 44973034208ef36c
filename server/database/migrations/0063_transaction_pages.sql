-- What people keep beside the transaction list: views that they saved, and the record of every file that left the house.

create table saved_views (
  application_id uuid not null,
  person_id uuid not null,
  view_id uuid not null,
  name text not null check (length(name) between 1 and 80),
  -- The filters as they stand in the address of the list, without the page.
  query text not null check (length(query) <= 2000),
  created_at timestamptz not null default now(),
  primary key (application_id, person_id, view_id),
  constraint saved_views_name unique (application_id, person_id, name)
);

-- Written before the first byte leaves and completed after the last one: a row without finished_at was broken off.
create table exports (
  application_id uuid not null,
  export_id uuid not null,
  person_id uuid not null,
  format text not null check (format in ('csv', 'xlsx')),
  -- The filters as they stand in the address of the list; with `selected`, only the rows that were ticked.
  query text not null,
  selected integer,
  cut_off_at timestamptz not null,
  started_at timestamptz not null default clock_timestamp(),
  finished_at timestamptz,
  row_count bigint,
  -- [{currency, count, amount}]
  totals jsonb,
  data_sha256 bytea check (length(data_sha256) = 32),
  file_sha256 bytea check (length(file_sha256) = 32),
  file_bytes bigint,
  primary key (application_id, export_id)
);
create index exports_by_time on exports (application_id, started_at desc);
create index exports_by_file on exports (application_id, file_sha256);
