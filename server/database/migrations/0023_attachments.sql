-- The file that a maker attaches to a payment, for its checkers and for finance.

-- It is stored before the payment is, so it is known by the external id that the payment will have, and belongs to the payment of that id that the
-- same person starts. While no transaction has the id, the person may exchange it; the lock of the counters decides which comes first.
create table attachments (
  application_id uuid not null,
  file_id uuid not null,
  external_id uuid not null,
  uploaded_by uuid not null,
  file_name text not null check (length(file_name) between 1 and 200),
  byte_count bigint not null check (byte_count > 0),
  -- When the file was last changed on the person's machine: an interrupted upload of the same file is continued.
  modified_ms bigint not null,
  state text not null check (state in ('uploading', 'attached')),
  -- Of the content, as it was checked when the upload was complete. Both stay when the pieces are removed for their age.
  media_type text check (media_type in ('application/pdf', 'image/png', 'image/jpeg', 'image/webp')),
  sha256 bytea check (length(sha256) = 32),
  uploaded_at timestamptz not null default clock_timestamp(),
  primary key (application_id, file_id),
  constraint attached_file_was_checked check ((state = 'attached') = (sha256 is not null) and (sha256 is null) = (media_type is null))
);
-- One payment has one attachment, and at most one upload that is to replace it.
create unique index attachments_of_payments on attachments (application_id, external_id, uploaded_by, state);
create index attachments_by_person on attachments (application_id, uploaded_by);

-- The bytes of a file in pieces of 1 MB, numbered from 0, each compressed.
create table attachment_pieces (
  application_id uuid not null,
  file_id uuid not null,
  number integer not null check (number between 0 and 4),
  byte_count integer not null check (byte_count > 0),
  content bytea not null,
  stored_at timestamptz not null default clock_timestamp(),
  primary key (application_id, file_id, number)
);
-- Compressed already.
alter table attachment_pieces alter column content set storage external;
-- Retention removes the oldest first.
create index attachment_pieces_by_time on attachment_pieces (application_id, stored_at);
