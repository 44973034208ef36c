-- State shared by the processes of an installation. `migrate` creates its own three tables (schema_release, schema_migrations, schema_functions).

-- One row, written by the first start: the mode of the database. A process of the other mode refuses to start, because nothing else tells
-- a process with a wrong environment that real money is here.
create table installation (
  is_only boolean primary key default true check (is_only),
  mode text not null check (mode in ('sandbox', 'production')),
  stamped_at timestamptz not null default now()
);

-- The ids of the keys that secrets are encrypted with, never the keys. Each key decrypts its own verification value: a process that cannot do
-- so has the wrong key and must not start.
create table secrets_keys (
  key_id text primary key,
  verification text not null,
  registered_at timestamptz not null default now()
);

-- One row per scheduled task: when it runs next, and which process runs it now.
create table scheduled_tasks (
  task text primary key,
  due_at timestamptz not null,
  -- Of the run that is due: those that failed, and the one in progress.
  attempts integer not null default 0 check (attempts >= 0),
  claim_id uuid,
  claimed_until timestamptz,
  -- Since when it fails and the sentence of the last failure; null after a run that did not fail.
  failed_since timestamptz,
  last_error text,
  check ((claim_id is null) = (claimed_until is null)),
  check ((failed_since is null) = (last_error is null))
);

-- One row per running process, written every 15 s and removed at its end. A row that is no longer written belongs to a process that ended
-- without saying so, or whose machine is lost; others remove it after a while.
create table processes (
  process_id uuid primary key,
  -- all: web and worker. parent: its child processes do the work.
  role text not null check (role in ('all', 'web', 'worker', 'parent')),
  host text not null,
  pid integer not null,
  release integer not null,
  started_at timestamptz not null,
  seen_at timestamptz not null
);

-- The last of its kind, as the person or program that made it said.
create table backup_notes (
  kind text primary key check (kind in ('backup', 'restore_test')),
  happened_at timestamptz not null,
  note text not null check (length(note) <= 500)
);

-- Rows of a kind that are older than this may have been removed. Written before the first one is removed, so that a page never says "none",
-- and `npm run verify` never says "missing", of rows that were removed on purpose.
create table retention_marks (
  kind text primary key,
  removed_before timestamptz not null
);

-- One row, written by every process that is asked whether it is ready: reading would not show that a commit can end.
create table readiness (
  is_only boolean primary key default true check (is_only),
  written_at timestamptz not null
);
insert into readiness (written_at) values (now());
