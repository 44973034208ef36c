-- Days of the back office are days in the application's business time zone; the API stays in UTC. An invalid name fails the check with its reason.
alter table applications add column time_zone text not null default 'UTC'
  constraint time_zone_is_known check (time_zone ~ '^[A-Za-z][A-Za-z0-9_+/-]*$' and timezone(time_zone, timestamptz '2026-01-01 00:00:00+00') is not null);

-- The zones for which an application's sums by business day are kept. There is no row for UTC: its sums are the roll-ups themselves.
create table day_zones (
  application_id uuid not null,
  time_zone text not null,
  -- The transactions from this sequence on are in transaction_day_edges; null: counting has not begun.
  counted_from bigint check (counted_from >= 1),
  -- Whether the sealed postings are in ledger_day_edges.
  is_ledger_counted boolean not null default false,
  -- Becomes the application's zone as soon as everything is counted.
  is_wanted boolean not null default false,
  last_used_at timestamptz not null default clock_timestamp(),
  primary key (application_id, time_zone)
);

-- What was created on one UTC day and belongs to the business day before or after it. A sum over business days is the sum over the same
-- UTC days, less what of them belongs to other business days, plus what belongs to them from other UTC days.
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
  placed_minor bigint not null,
  released_minor bigint not null,
  primary key (application_id, time_zone, operator, day, business_day)
);

-- An application whose services are all in one country gets the zone of that country, once a task has counted its edges. With services
-- in several countries it stays in UTC. A service without a row is on.
insert into day_zones (application_id, time_zone, is_wanted)
  select a.application_id, min(c.time_zone), true
    from applications a
    cross join (values ('OMCM', 'Africa/Douala'), ('MOMOCM', 'Africa/Douala'), ('CIWAVE', 'Africa/Abidjan'), ('CIOM', 'Africa/Abidjan'),
        ('SNWAVE', 'Africa/Dakar'), ('SNOM', 'Africa/Dakar'), ('SNFREE', 'Africa/Dakar'), ('BFOM', 'Africa/Ouagadougou'),
        ('MLMOOV', 'Africa/Bamako'), ('BJMTN', 'Africa/Porto-Novo'), ('BJMOOV', 'Africa/Porto-Novo'), ('UGMTN', 'Africa/Kampala'),
        ('UGAIRTEL', 'Africa/Kampala')) as c (operator, time_zone)
    cross join (values ('COLLECT'), ('DEPOSIT')) as y (type)
    left join transfer_services s on s.application_id = a.application_id and s.operator = c.operator and s.type = y.type
    where coalesce(s.is_enabled, true)
    group by a.application_id having count(distinct c.time_zone) = 1;

-- The zone whose days a file's filter means; null: made before there was one, in UTC.
alter table exports add column time_zone text;
