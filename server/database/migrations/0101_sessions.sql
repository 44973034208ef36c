-- Sessions that were signed out before their time. A row is needed until the session would have ended anyway.
create table ended_sessions (
  session_id uuid primary key,
  ends_at timestamptz not null
);
create index ended_sessions_by_end on ended_sessions (ends_at);

-- The networks from which a name signed in successfully, as keyed digests: their passwords are checked ahead of all others.
create table sign_in_networks (
  name_digest bytea not null,
  network_digest bytea not null,
  last_success_at timestamptz not null,
  primary key (name_digest, network_digest)
);
create index sign_in_networks_by_age on sign_in_networks (last_success_at);
