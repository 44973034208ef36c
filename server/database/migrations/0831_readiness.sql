-- One row that every process writes when it is asked whether it is ready: reading does not show that a commit can end.
create table readiness (
  is_only boolean primary key default true check (is_only),
  written_at timestamptz not null
);

insert into readiness (written_at) values (now());
