-- The partner's engineer is a role of its own.
alter table memberships drop constraint memberships_roles_check;
alter table memberships add constraint memberships_roles_check
  check (roles <@ array['maker', 'checker', 'finance', 'administrator', 'engineer']::text[]);
alter table person_invitations drop constraint person_invitations_roles_check;
alter table person_invitations add constraint person_invitations_roles_check
  check (cardinality(roles) > 0 and roles <@ array['maker', 'checker', 'finance', 'administrator', 'engineer']::text[]);

-- A confirmed change that makes a secret: its proposer collects it, once. Until then the secret does not exist.
alter table proposed_changes add column collect_until timestamptz, add column collected_at timestamptz,
  add constraint proposed_changes_collected check (collected_at is null or (collect_until is not null and outcome = 'confirmed'));

-- From which addresses each key was used; at most twenty per key, each row written at most once a minute by a process.
create table api_key_uses (
  application_id uuid not null,
  api_key_id uuid not null,
  address text not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  primary key (application_id, api_key_id, address)
);

-- Why calls were refused (401 and 403), counted per minute. Holds no credential: `subject` is the visible beginning of a key, a user name or
-- a service. At most fifty rows of each cause are kept per application.
create table api_refusals (
  application_id uuid not null,
  cause text not null,
  -- Empty: unknown. An asterisk: more addresses than are kept apart.
  address text not null,
  subject text not null,
  minute timestamptz not null,
  count integer not null check (count > 0),
  last_at timestamptz not null,
  primary key (application_id, cause, address, subject, minute)
);
create index api_refusals_by_time on api_refusals (application_id, cause, last_at desc);
