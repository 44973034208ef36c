-- Webhooks: the result of every transaction, delivered to the partner at least once and attempted at most four times.

-- The outbox. The statement that makes a transaction final inserts its row, so no result can be lost between the two.
create table webhook_deliveries (
  application_id uuid not null,
  transaction_id uuid not null,
  -- scheme://host:port of the receiver. Each receiver has a queue of its own, so one that hangs delays only itself.
  target text not null,
  state text not null default 'due' check (state in ('due', 'delivered', 'exhausted')),
  -- Counted before anything is sent, so that a crash cannot lead to a fifth attempt.
  attempts smallint not null default 0 check (attempts between 0 and 4),
  next_at timestamptz not null,
  -- The lease. Not in next_at, which is in indexes: a claim changes the row in its page.
  claimed_until timestamptz,
  created_at timestamptz not null,
  finished_at timestamptz,
  -- The first attempt, if it delivered. Nearly all do, and a row of webhook_attempts for each would cost an insert and its index entries.
  first_started_at timestamptz,
  first_duration_ms integer,
  first_waited_ms integer check (first_waited_ms >= 0),
  first_byte_ms integer check (first_byte_ms >= 0),
  first_response_start text,
  primary key (application_id, transaction_id)
-- Every claim walks the dead entries of the due index, so they are removed early.
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000, autovacuum_analyze_scale_factor = 0.05);
-- The queue of each receiver; and all queues in order of time, so that what has just become due is found without asking every receiver.
create index webhook_deliveries_due on webhook_deliveries (target, next_at) where state = 'due';
create index webhook_deliveries_by_time on webhook_deliveries (next_at) where state = 'due';
-- An application's waiting deliveries, and those that were given up, newest first. A delivery that works leaves them at once.
create index webhook_deliveries_waiting on webhook_deliveries (application_id, transaction_id) where state = 'due';
create index webhook_deliveries_given_up on webhook_deliveries (application_id, transaction_id) where state = 'exhausted';
-- Few are given up, and people look for them however long ago it was.
create index webhook_deliveries_exhausted on webhook_deliveries (application_id, finished_at) where state = 'exhausted';
-- Rows end roughly in the order in which they lie on disk, so a block range costs a delivery almost nothing.
create index webhook_deliveries_by_finish on webhook_deliveries using brin (finished_at) with (pages_per_range = 32, autosummarize = on);

-- One attempt of the schedule and its outcome, except a first attempt that is stored in its delivery. all_webhook_attempts has both.
create table webhook_attempts (
  application_id uuid not null,
  transaction_id uuid not null,
  number smallint not null,
  started_at timestamptz not null,
  duration_ms integer not null,
  -- From its due time to its start; null if it was interrupted.
  waited_ms integer check (waited_ms >= 0),
  first_byte_ms integer check (first_byte_ms >= 0),
  outcome text not null,
  http_status integer,
  detail text,
  -- The beginning of the answer's body, as safe text.
  response_start text,
  primary key (application_id, transaction_id, number)
);
create index webhook_attempts_by_time on webhook_attempts using brin (started_at) with (autosummarize = on);
-- Deliveries by the cause of a failed attempt. One that succeeds costs nothing here.
create index webhook_attempts_failed on webhook_attempts (application_id, outcome, transaction_id) where outcome <> 'delivered';

-- Every attempt of the schedule. Two records of the same first attempt, at the same moment, store it in both places; it is listed once.
create view all_webhook_attempts as
  select application_id, transaction_id, number, started_at, duration_ms, waited_ms, first_byte_ms, outcome, http_status, detail, response_start
    from webhook_attempts
  union all
  select d.application_id, d.transaction_id, 1::smallint, d.first_started_at, d.first_duration_ms, d.first_waited_ms, d.first_byte_ms, 'delivered',
         200, null, d.first_response_start
    from webhook_deliveries d
    where d.first_started_at is not null and not exists (select from webhook_attempts a
      where a.application_id = d.application_id and a.transaction_id = d.transaction_id and a.number = 1);

-- A resend that a person or a recovery requested, with its one outcome. It changes the delivery only if the receiver answers 200.
create table webhook_resends (
  application_id uuid not null,
  transaction_id uuid not null,
  number integer not null check (number > 0),
  target text not null,
  requested_by uuid not null,
  requested_at timestamptz not null,
  -- When it is due; while a process holds it, the end of the lease.
  next_at timestamptz not null,
  -- Counted before anything is sent, so that a crash cannot repeat it without limit.
  claims smallint not null default 0 check (claims between 0 and 4),
  started_at timestamptz,
  duration_ms integer,
  waited_ms integer check (waited_ms >= 0),
  first_byte_ms integer check (first_byte_ms >= 0),
  -- Null while it waits or runs.
  outcome text,
  http_status integer,
  detail text,
  response_start text,
  primary key (application_id, transaction_id, number),
  check ((outcome is null) = (started_at is null) and (outcome is null) = (duration_ms is null))
);
-- Of two requests at the same moment one is refused.
create unique index webhook_resends_waiting on webhook_resends (application_id, transaction_id) where outcome is null;
-- Nearly always empty, so that a claim looks for resends at the cost of one index descent.
create index webhook_resends_due on webhook_resends (target, next_at) where outcome is null;

-- A request to resend all webhooks that ended within a period: in order of that time, a few at a time, one recovery per application.
create table webhook_recoveries (
  application_id uuid not null,
  recovery_id uuid not null,
  since timestamptz not null,
  until timestamptz not null check (until > since),
  includes_delivered boolean not null,
  requested_by uuid not null,
  requested_at timestamptz not null default now(),
  counted integer not null check (counted > 0),
  -- The last webhook that was taken; the next one is behind it.
  cursor_at timestamptz not null,
  cursor_id uuid not null,
  resent integer not null default 0,
  ended_at timestamptz,
  -- Null: all were resent.
  stopped_by uuid,
  primary key (application_id, recovery_id)
);
create unique index webhook_recoveries_open on webhook_recoveries (application_id) where ended_at is null;

-- Test events: the outcomes of the newest, and how many there were in the last hour.
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
