-- Before which instant rows of a kind may have been removed because they were older than the installation keeps them. Written before the
-- first row goes, so that a page never says "none" and verification never says "missing" of what was removed on purpose.
create table retention_marks (
  kind text primary key,
  removed_before timestamptz not null
);
