-- The people who sign in to the back office, and what they may do in which application.

create table people (
  person_id uuid primary key,
  email text not null unique check (email = lower(email)),
  name text not null check (length(name) between 1 and 200),
  password_hash text not null,
  -- By the command line; an administrator suspends a membership instead.
  is_blocked boolean not null default false,
  locale text check (locale in ('en', 'fr')),
  time_zone text,
  totp_secret text,
  totp_enabled_at timestamptz,
  -- The last accepted time step: a code works once.
  totp_last_step bigint,
  -- When twenty wrong one-time codes in a row were entered for this person; null once the person has read it.
  codes_guessed_at timestamptz,
  -- Raised by "sign out everywhere", a new password and a block: older sessions end.
  session_epoch integer not null default 1,
  created_at timestamptz not null default now()
);

-- For a person who has lost the second factor: ten codes, as digests, each of which works once.
create table recovery_codes (
  person_id uuid not null references people,
  code_hash bytea not null,
  used_at timestamptz,
  primary key (person_id, code_hash)
);

-- The roles of a person in an application. A person may belong to several.
create table memberships (
  application_id uuid not null references applications,
  person_id uuid not null references people,
  roles text[] not null check (roles <@ array['maker', 'checker', 'finance', 'administrator', 'engineer']),
  is_active boolean not null default true,
  -- One administrator can suspend a membership at once; two lift the suspension.
  suspended_at timestamptz,
  suspended_by uuid references people,
  created_at timestamptz not null default now(),
  primary key (application_id, person_id),
  constraint suspended_by_somebody check ((suspended_at is null) = (suspended_by is null)),
  constraint suspended_is_inactive check (suspended_at is null or not is_active)
);
create index memberships_by_person on memberships (person_id);

-- An invitation that two administrators agreed to. Joining grants nothing: the membership begins when an administrator who never held the
-- link confirms the code that the new person sees. Otherwise one administrator could join under another name and approve alone.
create table person_invitations (
  application_id uuid not null references applications,
  invitation_id uuid not null,
  email text not null check (email = lower(email)),
  name text not null check (length(name) between 1 and 200),
  roles text[] not null check (cardinality(roles) > 0 and roles <@ array['maker', 'checker', 'finance', 'administrator', 'engineer']),
  -- The link contains a token of 256 random bits.
  token_hash bytea not null unique,
  proposed_by uuid not null references people,
  confirmed_by uuid not null references people,
  -- Every administrator who was shown a link.
  link_holders uuid[] not null,
  created_at timestamptz not null default now(),
  -- Of the link; a new link is valid for another 24 hours.
  expires_at timestamptz not null,
  accepted_by uuid references people,
  accepted_at timestamptz,
  code text,
  wrong_codes integer not null default 0,
  -- The link holder in whose browser, at the same address, somebody joined: the confirmer is warned.
  joined_like uuid references people,
  activated_by uuid references people,
  activated_at timestamptz,
  withdrawn_at timestamptz,
  primary key (application_id, invitation_id),
  constraint two_people_invite check (proposed_by <> confirmed_by),
  constraint link_holders_confirm check (confirmed_by = any (link_holders)),
  constraint proposer_holds_no_link check (proposed_by <> all (link_holders)),
  constraint accepted_by_somebody check ((accepted_by is null) = (accepted_at is null)),
  constraint activated_after_joining check ((activated_at is null) = (activated_by is null) and (activated_at is null or accepted_at is not null)),
  constraint activated_by_another check (activated_by <> all (link_holders) and activated_by <> accepted_by),
  constraint activated_or_withdrawn check (activated_at is null or withdrawn_at is null),
  constraint code_while_it_is_needed check ((code is not null) = (accepted_at is not null and activated_at is null and withdrawn_at is null))
);
-- One open invitation per e-mail address and application.
create unique index person_invitations_open on person_invitations (application_id, email) where activated_at is null and withdrawn_at is null;
create index person_invitations_by_email on person_invitations (email) where activated_at is null and withdrawn_at is null;

-- Failed sign-ins per user name and per address. Unlogged: a crash that loses it only forgives.
create unlogged table sign_in_throttles (
  throttle_key text primary key,
  failures integer not null,
  last_failure_at timestamptz not null
);

-- The networks from which a name has signed in, as keyed digests. Its passwords from there are checked ahead of all others, so that an attack
-- from elsewhere locks nobody out.
create table sign_in_networks (
  name_digest bytea not null,
  network_digest bytea not null,
  last_success_at timestamptz not null,
  primary key (name_digest, network_digest)
);
create index sign_in_networks_by_age on sign_in_networks (last_success_at);

-- Sessions as people see them: from where, with which browser, last used when. No row decides whether a session is valid: its token, the epoch
-- of its person and ended_sessions do.
create table person_sessions (
  session_id uuid primary key,
  person_id uuid not null references people,
  epoch integer not null,
  started_at timestamptz not null,
  ends_at timestamptz not null,
  last_used_at timestamptz not null,
  address text not null check (length(address) between 1 and 64),
  -- The browser's own name, cut.
  user_agent text not null check (length(user_agent) <= 300)
);
create index person_sessions_by_person on person_sessions (person_id, last_used_at desc);
create index person_sessions_by_end on person_sessions (ends_at);

-- Sessions that were signed out before their end. A row is needed only until then.
create table ended_sessions (
  session_id uuid primary key,
  ends_at timestamptz not null
);
create index ended_sessions_by_end on ended_sessions (ends_at);

-- In which applications a session was used. An application sees and ends only those sessions, and as they were used in it.
create table application_sessions (
  application_id uuid not null references applications,
  session_id uuid not null references person_sessions on delete cascade,
  last_used_at timestamptz not null,
  address text not null check (length(address) between 1 and 64),
  user_agent text not null check (length(user_agent) <= 300),
  primary key (application_id, session_id)
);
create index application_sessions_by_session on application_sessions (session_id);

-- When a person was last seen in an application, to about five minutes. Not a column of memberships, whose rows change rarely.
create table person_sightings (
  application_id uuid not null references applications,
  person_id uuid not null references people,
  last_seen_at timestamptz not null,
  primary key (application_id, person_id)
);

-- The views that a person saved: the filters of the transaction list, or a table of the totals. A shared view is offered to all members and
-- still belongs to that person.
create table saved_views (
  application_id uuid not null,
  person_id uuid not null,
  view_id uuid not null,
  list text not null check (list in ('transactions', 'totals')),
  name text not null check (length(name) between 1 and 80),
  -- The query of the page's address, without the number of a page.
  query text not null check (length(query) <= 2000),
  is_shared boolean not null default false,
  -- Since when its owner has each month's table sent; null: not. A month that was due before is not sent.
  sent_monthly_since timestamptz,
  created_at timestamptz not null default now(),
  primary key (application_id, person_id, view_id),
  constraint saved_views_name unique (application_id, person_id, list, name),
  constraint only_totals_are_sent check (sent_monthly_since is null or list = 'totals')
);
-- For the task: few rows at any time.
create index saved_views_sent on saved_views (application_id, person_id) where sent_monthly_since is not null;

-- The months of a saved table that were sent to its owner. The key lets each be sent once, whichever process does it.
create table monthly_totals (
  application_id uuid not null,
  person_id uuid not null,
  view_id uuid not null,
  -- The first day of the month.
  month date not null,
  -- The subject of its notice.
  monthly_id uuid not null default gen_random_uuid(),
  prepared_at timestamptz not null,
  primary key (application_id, person_id, view_id, month),
  constraint monthly_totals_id unique (application_id, monthly_id),
  foreign key (application_id, person_id, view_id) references saved_views on delete cascade
);
