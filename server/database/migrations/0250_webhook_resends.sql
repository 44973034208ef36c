-- Webhooks that people resend. A row is one request with its one outcome. The schedule of the delivery itself is in webhook_deliveries;
-- a resend changes that row only if the receiver answers 200.
create table webhook_resends (
  application_id uuid not null,
  transaction_id uuid not null,
  number integer not null check (number > 0),
  -- As in webhook_deliveries: the queue of the receiver.
  target text not null,
  requested_by uuid not null,
  requested_at timestamptz not null,
  -- When it is due; while a process holds it, the end of the lease.
  next_at timestamptz not null,
  -- Each claim is counted before anything is sent, so that a crash cannot repeat a resend without limit.
  claims smallint not null default 0 check (claims between 0 and 4),
  started_at timestamptz,
  duration_ms integer,
  -- Null while the resend is waiting or in progress.
  outcome text,
  http_status integer,
  detail text,
  waited_ms integer check (waited_ms >= 0),
  primary key (application_id, transaction_id, number),
  check ((outcome is null) = (started_at is null) and (outcome is null) = (duration_ms is null))
);

-- One waiting resend per transaction: of two requests at the same moment one is refused.
create unique index webhook_resends_waiting on webhook_resends (application_id, transaction_id) where outcome is null;

-- The queue, receiver by receiver. It is nearly always empty, so that a claim looks for resends at the cost of one index descent.
create index webhook_resends_due on webhook_resends (target, next_at) where outcome is null;

-- The functions that server/webhooks/sql replaces. In a database that an earlier release has used they stay, because its processes still
-- call them while they are replaced. Where no release has applied a function file, and there is no application, no such process can run.
do $$
begin
  if to_regclass('schema_functions') is null and not exists (select from applications) then
    drop function claim_webhook_deliveries(integer, integer, integer, integer, jsonb, jsonb, integer, text[], integer, text, integer, integer, integer[]);
    drop function record_webhook_attempts(json, integer[]);
    drop function return_webhook_deliveries(json);
  end if;
end $$;
