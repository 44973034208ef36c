-- Changes of people, access and terms that one administrator proposes and another confirms. What a confirmed change did is in the tables
-- that it changed and in the audit chain; a row here says who proposed it, what was shown, and what became of it.
create table proposed_changes (
  application_id uuid not null references applications (application_id),
  change_id uuid not null,
  kind text not null,
  -- What the change is about: a person, an operator and a direction, a network.
  subject text not null,
  -- What to do if it is confirmed. Never a secret.
  payload jsonb not null,
  -- What the people saw. It is confirmed only while the first of them is still true.
  before jsonb not null,
  after jsonb not null,
  proposed_by uuid not null references people (person_id),
  proposed_at timestamptz not null default now(),
  expires_at timestamptz not null,
  outcome text check (outcome in ('confirmed', 'refused', 'withdrawn')),
  decided_by uuid references people (person_id),
  decided_at timestamptz,
  reason text not null default '' check (length(reason) <= 500),
  primary key (application_id, change_id),
  check ((outcome is null) = (decided_by is null) and (outcome is null) = (decided_at is null)),
  -- Nobody decides their own proposal; withdrawing it is the one thing that only they can do.
  check (outcome is null or (outcome = 'withdrawn') = (decided_by = proposed_by))
);

-- The list of an application, newest first.
create index proposed_changes_by_time on proposed_changes (application_id, proposed_at desc);
