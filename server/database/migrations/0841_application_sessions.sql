-- In which applications a session was used: an application sees and ends only those sessions, as they were used in it.
create table application_sessions (
  application_id uuid        not null references applications,
  session_id     uuid        not null references person_sessions on delete cascade,
  last_used_at   timestamptz not null,
  address        text        not null check (length(address) between 1 and 64),
  user_agent     text        not null check (length(user_agent) <= 300),
  primary key (application_id, session_id)
);
create index application_sessions_by_session on application_sessions (session_id);
-- When somebody was last seen in an application. When they were seen elsewhere is not its business.
drop table person_sightings;
create table person_sightings (
  application_id uuid        not null references applications,
  person_id      uuid        not null references people,
  last_seen_at   timestamptz not null,
  primary key (application_id, person_id)
);
