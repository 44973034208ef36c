-- The columns of the list that an export holds, in their order; null: all of them.
alter table exports add column columns text[];
-- When the whole file was stored; null: too large, removed to make room, or never finished.
alter table exports add column stored_at timestamptz;

-- Stored files, in pieces, so that neither writing nor reading one holds more than a piece in memory.
create table export_pieces (
  application_id uuid not null,
  export_id uuid not null,
  number integer not null check (number >= 0),
  stored_at timestamptz not null default clock_timestamp(),
  content bytea not null,
  primary key (application_id, export_id, number)
);
-- For retention, which removes the oldest first.
create index export_pieces_by_time on export_pieces (application_id, stored_at);
