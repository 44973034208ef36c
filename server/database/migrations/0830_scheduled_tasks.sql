-- One row per scheduled task: when it runs next, and which process runs it now. It replaces the job queue of a library, which kept a
-- schema of its own.
create table scheduled_tasks (
  task text primary key,
  due_at timestamptz not null,
  -- Of the run that is due: those that failed, and the one in progress.
  attempts integer not null default 0 check (attempts >= 0),
  claim_id uuid,
  claimed_until timestamptz,
  check ((claim_id is null) = (claimed_until is null))
);

drop schema if exists graphile_worker cascade;
