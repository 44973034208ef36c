-- The application whose administrators may change how the operators are reached, for all applications: at most one, named on the command line.
alter table applications add column runs_installation boolean not null default false;
create unique index applications_run_by_one on applications (runs_installation) where runs_installation;

-- The input of a proposed change that holds secrets, encrypted. Nothing of it is left once the change has ended.
alter table proposed_changes
  add column sealed_payload text,
  add constraint proposed_changes_keep_no_secrets check (outcome is null or sealed_payload is null);
create index proposed_changes_sealed on proposed_changes (expires_at) where sealed_payload is not null;
