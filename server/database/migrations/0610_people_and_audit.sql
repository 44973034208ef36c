-- From which address a person or a program did what an entry says. Null: from the command line, by the service itself, or before this column
-- existed. The digest of an entry covers the address only if there is one, so that the digests of older entries remain right.
alter table audit_entries add column address text check (length(address) between 1 and 64);

-- The filters of the audit page. A subject may be 2,000 characters long, which is more than an index holds.
create index audit_entries_by_time on audit_entries (application_id, at);
create index audit_entries_by_actor on audit_entries (application_id, actor_id, sequence);
create index audit_entries_by_action on audit_entries (application_id, action, sequence);
create index audit_entries_by_subject on audit_entries (application_id, left(subject, 80), sequence);

-- The application whose administrator blocked a person. Null: the machine's administrator did, and only they can unblock.
alter table people add column blocked_in uuid references applications (application_id);
alter table people add constraint people_blocked_in_check check (blocked_in is null or is_blocked);

-- When a person was last seen in the back office, to about five minutes. Not a column of people, whose rows change rarely.
create table person_sightings (
  person_id uuid primary key references people (person_id),
  last_seen_at timestamptz not null
);

-- Sessions of the back office for people who look at them: from where, with what, and when they were last used. Whether a session is valid is
-- decided by its token, the epoch of its person and ended_sessions, never by a row here.
create table person_sessions (
  session_id uuid primary key,
  person_id uuid not null references people (person_id),
  epoch integer not null,
  started_at timestamptz not null,
  ends_at timestamptz not null,
  last_used_at timestamptz not null,
  address text not null check (length(address) between 1 and 64),
  -- The browser as it names itself, cut.
  user_agent text not null check (length(user_agent) <= 300)
);
create index person_sessions_by_person on person_sessions (person_id, last_used_at desc);
create index person_sessions_by_end on person_sessions (ends_at);

-- Invitations that two administrators agreed to. The link holds a token of 256 random bits, of which only the digest is stored.
create table person_invitations (
  application_id uuid not null references applications (application_id),
  invitation_id uuid not null,
  email text not null check (email = lower(email)),
  name text not null check (length(name) between 1 and 200),
  roles text[] not null check (cardinality(roles) > 0 and roles <@ array['maker', 'checker', 'finance', 'administrator']),
  token_hash bytea not null unique,
  proposed_by uuid not null references people (person_id),
  confirmed_by uuid not null references people (person_id),
  created_at timestamptz not null default now(),
  -- Of the link; a new link begins another 24 hours.
  expires_at timestamptz not null,
  accepted_by uuid references people (person_id),
  accepted_at timestamptz,
  withdrawn_at timestamptz,
  primary key (application_id, invitation_id),
  check (proposed_by <> confirmed_by),
  check ((accepted_by is null) = (accepted_at is null)),
  check (accepted_at is null or withdrawn_at is null)
);
-- One invitation at a time for each e-mail address.
create unique index person_invitations_open on person_invitations (application_id, email) where accepted_at is null and withdrawn_at is null;
