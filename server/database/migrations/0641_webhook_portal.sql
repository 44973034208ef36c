-- What the partner's engineer sees of an attempt: when the first byte of the answer came, and how its body began, as safe text.
alter table webhook_attempts add column first_byte_ms integer check (first_byte_ms >= 0), add column response_start text;
alter table webhook_resends add column first_byte_ms integer check (first_byte_ms >= 0), add column response_start text;

-- Deliveries by the cause of a failed attempt. Only failures are in it: a delivery that works costs nothing.
create index webhook_attempts_failed on webhook_attempts (application_id, outcome, transaction_id) where outcome <> 'delivered';
create index webhook_deliveries_given_up on webhook_deliveries (application_id, transaction_id) where state = 'exhausted';

-- A request to send all webhooks again that ended within a range of time. It goes through them in order of that time, a few at a time.
create table webhook_recoveries (
  application_id uuid not null,
  recovery_id uuid not null,
  since timestamptz not null,
  until timestamptz not null check (until > since),
  includes_delivered boolean not null,
  requested_by uuid not null,
  requested_at timestamptz not null default now(),
  counted integer not null check (counted > 0),
  -- The last one that was taken; the next is behind it.
  cursor_at timestamptz not null,
  cursor_id uuid not null,
  resent integer not null default 0,
  ended_at timestamptz,
  -- Null: it went through all of them.
  stopped_by uuid,
  primary key (application_id, recovery_id)
);
create unique index webhook_recoveries_open on webhook_recoveries (application_id) where ended_at is null;

-- Test events: how the newest ended, and how many there were in the last hour.
create table webhook_tests (
  application_id uuid not null,
  test_id uuid not null,
  -- Without user name, password and query.
  url text not null,
  requested_by uuid not null,
  requested_at timestamptz not null default now(),
  duration_ms integer,
  first_byte_ms integer,
  outcome text,
  http_status integer,
  detail text,
  response_start text,
  primary key (application_id, test_id)
);
create index webhook_tests_by_time on webhook_tests (application_id, requested_at desc);
