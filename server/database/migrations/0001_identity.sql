-- Who may call, who may sign in, and the terms each application works under.
-- These tables are small: they are read into memory by every process and are the reference tables of a sharded installation.

create table applications (
  application_id uuid primary key,
  name text not null check (length(name) between 1 and 200),
  api_id text not null unique,
  is_enabled boolean not null default true,
  requires_second_factor boolean not null default false,
  -- Some receivers read `transactionStatus` instead of `status` (DESIGN 5, Webhook).
  copies_webhook_status boolean not null default false,
  created_at timestamptz not null default now()
);

-- Keys are 256 random bits: a fast digest is enough, and the prefix is what people see (DESIGN 13).
create table api_keys (
  application_id uuid not null references applications,
  api_key_id uuid not null,
  name text not null,
  key_prefix text not null,
  key_hash bytea not null unique,
  created_by uuid,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  primary key (application_id, api_key_id)
);

-- The partner program's own sign-in for POST /public/access_token.
create table api_users (
  application_id uuid not null references applications,
  api_user_id uuid not null unique,
  username text not null unique,
  password_hash text not null,
  is_blocked boolean not null default false,
  created_at timestamptz not null default now(),
  primary key (application_id, api_user_id)
);

create table refresh_tokens (
  application_id uuid not null references applications,
  token_hash bytea not null,
  api_user_id uuid not null,
  family_id uuid not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  replaced_at timestamptz,
  revoked_at timestamptz,
  primary key (application_id, token_hash)
);
create index refresh_tokens_by_hash on refresh_tokens (token_hash);
create index refresh_tokens_by_family on refresh_tokens (application_id, family_id);
create index refresh_tokens_by_user on refresh_tokens (application_id, api_user_id, created_at);

-- An empty list admits nobody (spec, Authentication 3).
create table ip_allow_entries (
  application_id uuid not null references applications,
  network text not null,
  note text not null default '',
  created_at timestamptz not null default now(),
  primary key (application_id, network)
);

-- A row only where somebody switched a service off or put limits in force; absent means on, unlimited.
create table transfer_services (
  application_id uuid not null references applications,
  operator text not null,
  type text not null check (type in ('COLLECT', 'DEPOSIT')),
  is_enabled boolean not null default true,
  enforces_limits boolean not null default false,
  minimum_minor bigint check (minimum_minor > 0),
  maximum_minor bigint check (maximum_minor >= minimum_minor),
  primary key (application_id, operator, type)
);

-- Rates in millionths of the amount: 10000 is 1 %. Absent row: the default schedule of lib/fees.ts.
create table fee_schedules (
  application_id uuid not null references applications,
  operator text not null,
  type text not null check (type in ('COLLECT', 'DEPOSIT')),
  system_rate_ppm integer not null check (system_rate_ppm between 0 and 1000000),
  system_fixed_minor bigint not null check (system_fixed_minor >= 0),
  app_rate_ppm integer not null check (app_rate_ppm between 0 and 1000000),
  app_fixed_minor bigint not null check (app_fixed_minor >= 0),
  primary key (application_id, operator, type)
);

-- Versioned and never edited: a waiting item keeps the version it came in under (DESIGN 9).
create table approval_policies (
  application_id uuid not null references applications,
  version integer not null,
  rules jsonb not null,
  proposed_by uuid,
  proposed_at timestamptz not null default now(),
  activated_by uuid,
  activated_at timestamptz,
  primary key (application_id, version),
  constraint two_people_change_the_rules check (proposed_by is null or activated_by is null or proposed_by <> activated_by)
);

-- One secret signs, the one before it still signs too until it ends (Standard Webhooks rotation).
create table webhook_secrets (
  application_id uuid not null references applications,
  webhook_secret_id uuid not null,
  secret text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  primary key (application_id, webhook_secret_id)
);

create table people (
  person_id uuid primary key,
  email text not null unique check (email = lower(email)),
  name text not null check (length(name) between 1 and 200),
  password_hash text not null,
  is_blocked boolean not null default false,
  locale text check (locale in ('en', 'fr')),
  time_zone text,
  totp_secret text,
  totp_enabled_at timestamptz,
  -- The last accepted time step: a code is good once.
  totp_last_step bigint,
  -- Raised by "sign out everywhere", a new password and a block: older sessions end.
  session_epoch integer not null default 1,
  created_at timestamptz not null default now()
);

create table recovery_codes (
  person_id uuid not null references people,
  code_hash bytea not null,
  used_at timestamptz,
  primary key (person_id, code_hash)
);

create table memberships (
  application_id uuid not null references applications,
  person_id uuid not null references people,
  roles text[] not null check (roles <@ array['maker', 'checker', 'finance', 'administrator']::text[]),
  is_active boolean not null default true,
  created_at timestamptz not null default now(),
  primary key (application_id, person_id)
);
create index memberships_by_person on memberships (person_id);

-- Failed sign-ins per user name and address. Unlogged: losing it in a crash only forgives.
create unlogged table sign_in_throttles (
  throttle_key text primary key,
  failures integer not null,
  last_failure_at timestamptz not null
);

-- Which applications changed, by transaction number: a process that remembers the oldest transaction it could not yet
-- see reads exactly what it missed, whatever the order of commits.
create table application_versions (
  application_id uuid primary key,
  changed_xid xid8 not null default pg_current_xact_id()
);
create index application_versions_by_change on application_versions (changed_xid);

create function note_application_change() returns trigger language plpgsql as $$
begin
  insert into application_versions (application_id)
    select distinct application_id from changed_rows
    on conflict (application_id) do update set changed_xid = pg_current_xact_id();
  return null;
end $$;

do $$
declare watched text;
begin
  foreach watched in array array['applications', 'api_keys', 'api_users', 'ip_allow_entries', 'transfer_services',
                                 'fee_schedules', 'approval_policies', 'webhook_secrets'] loop
    execute format('create trigger note_insert after insert on %I referencing new table as changed_rows
                    for each statement execute function note_application_change()', watched);
    execute format('create trigger note_update after update on %I referencing new table as changed_rows
                    for each statement execute function note_application_change()', watched);
    execute format('create trigger note_delete after delete on %I referencing old table as changed_rows
                    for each statement execute function note_application_change()', watched);
  end loop;
end $$;
