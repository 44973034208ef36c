-- Who may call, and the terms that each application works under.
--
-- A partner's request meets these tables first: its key, its token, its address, then the services, fees and rules of its application.
-- They are small. Every process holds them in memory, and a sharded installation keeps them whole on every node.

-- A partner, or a part of one with books of its own. Everything that follows belongs to exactly one application.
create table applications (
  application_id uuid primary key,
  name text not null check (length(name) between 1 and 200),
  -- Its address in the back office: made from the first name and kept when the name changes, so that links that were sent keep working.
  slug text not null constraint one_application_per_slug unique,
  api_id text not null unique,
  is_enabled boolean not null default true,
  requires_second_factor boolean not null default false,
  -- Whether one person may prepare, approve and choose who may do either. Always allowed in a sandbox.
  allows_combined_roles boolean not null default false,
  -- Whether its administrators may change how the operators are reached, which concerns all applications. The command line grants it.
  runs_installation boolean not null default false,
  -- The days of the back office are days of this zone; the API stays in UTC.
  time_zone text not null default 'UTC',
  -- A service of any other country is off.
  countries text[] not null default array['CAMEROON', 'IVORY_COAST', 'SENEGAL', 'BURKINA_FASO', 'MALI', 'BENIN', 'UGANDA'],
  -- For the results of payments that no program started, which name no address themselves.
  default_webhook_url text constraint default_webhook_url_fits check (length(default_webhook_url) between 1 and 2048),
  -- The networks that are not public and may receive webhooks. The command line grants them.
  webhook_networks cidr[] not null default '{}',
  -- Some receivers read `transactionStatus` instead of `status`.
  copies_webhook_status boolean not null default false,
  -- Who pays the fees of a refund: the application beside the amount, or the customer, who receives less.
  refund_fees_from text not null default 'application' check (refund_fees_from in ('application', 'customer')),
  -- How long its deposits wait while our account at the operator does not cover them, before they end as FAILED.
  float_wait_hours integer not null default 24 constraint float_wait_hours_fits check (float_wait_hours between 1 and 168),
  -- Seconds between a person's Validate and its effect, in which they can undo it; 0: none. Decisions of programs are never delayed.
  undo_seconds integer not null default 10 constraint undo_seconds_fits check (undo_seconds between 0 and 60),
  -- Whether its makers may create payment links, and customers pay at those that exist.
  allows_payment_links boolean not null default true,
  -- How many accounts its people and programs may have checked at operators within 24 hours; 0: none.
  account_checks_max integer not null default 400 constraint account_checks_max_fits check (account_checks_max between 0 and 10000),
  created_at timestamptz not null default now(),
  constraint slug_fits_an_address check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
  -- A name that the database does not know fails with PostgreSQL's own reason.
  constraint time_zone_is_known check (time_zone ~ '^[A-Za-z][A-Za-z0-9_+/-]*$'
    and timezone(time_zone, timestamptz '2026-01-01 00:00:00+00') is not null),
  constraint countries_are_known check (cardinality(countries) > 0
    and countries <@ array['CAMEROON', 'IVORY_COAST', 'SENEGAL', 'BURKINA_FASO', 'MALI', 'BENIN', 'UGANDA'])
);
-- The page of customers of an application.
create table customer_pages (
  application_id uuid primary key references applications,
  -- Customers pay for every byte.
  logo bytea check (octet_length(logo) between 1 and 4096),
  logo_digest text generated always as (encode(sha256(logo), 'hex')) stored,
  support text check (length(support) between 1 and 100),
  return_url text check (length(return_url) between 1 and 500),
  -- Customers whose payment failed are sent back to pay again.
  offers_retry boolean not null default false,
  constraint retry_has_an_address check (not offers_retry or return_url is not null)
);
create index customer_pages_by_logo on customer_pages (logo_digest) where logo_digest is not null;

create unique index applications_run_by_one on applications (runs_installation) where runs_installation;

-- lower() leaves accented capitals alone where the database's locale is C, so they are spelt out: Élite becomes elite.
create function slug_of(name text) returns text language sql immutable
set search_path from current as $$
  select coalesce(nullif(trim(both '-' from left(trim(both '-' from regexp_replace(
    translate(lower(name), 'àáâãäåçèéêëìíîïñòóôõöùúûüýÿœæÀÁÂÃÄÅÇÈÉÊËÌÍÎÏÑÒÓÔÕÖÙÚÛÜÝŸŒÆ', 'aaaaaaceeeeiiiinooooouuuuyyoaaaaaaaceeeeiiiinooooouuuuyyoa'),
    '[^a-z0-9]+', '-', 'g')), 48)), ''), 'application')
$$;

create function give_application_slug() returns trigger language plpgsql
set search_path from current as $$
declare
  stem text := slug_of(new.name);
  suffix integer := 1;
begin
  if new.slug is not null then return new; end if;
  -- Addresses of the product.
  if stem in ('api', 'docs', 'public', 'sign-in', 'sign-out', 'settings', 'health', 'metrics', 'search', 'static', 'pay') then stem := stem || '-app'; end if;
  -- Two new applications of one name are created one after the other.
  perform pg_advisory_xact_lock(hashtext('countersign.slug'), hashtext(stem));
  new.slug := stem;
  while exists (select 1 from applications a where a.slug = new.slug) loop
    suffix := suffix + 1;
    new.slug := stem || '-' || suffix;
  end loop;
  return new;
end $$;
create trigger give_slug before insert on applications for each row execute function give_application_slug();

-- Keys are 256 random bits, so a fast digest is enough. People see the prefix only.
create table api_keys (
  application_id uuid not null references applications,
  api_key_id uuid not null,
  name text not null,
  key_prefix text not null,
  -- Unique over all applications, because a request is recognised by its key alone.
  key_hash bytea not null unique,
  created_by uuid,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  -- The calls that the key is limited to (lib/partner/api-scopes.ts); null: nothing is refused for its scope.
  scopes text[] check (cardinality(scopes) > 0),
  primary key (application_id, api_key_id)
);

-- The user name and password with which a partner's program asks for an access token.
create table api_users (
  application_id uuid not null references applications,
  api_user_id uuid not null unique,
  username text not null unique,
  password_hash text not null,
  is_blocked boolean not null default false,
  -- Raised when the password is reset and when a refresh token is reused: access tokens with a lower number are refused.
  token_epoch integer not null default 1,
  created_at timestamptz not null default now(),
  -- Everybody who ever received a password of it: they are refused as checkers of what it starts (may-decide.ts).
  password_holders uuid[] not null default '{}',
  primary key (application_id, api_user_id)
);

-- Refresh tokens as digests. Each is exchanged once for the next one of its family; a second use of one ends the whole family,
-- because the partner and a thief cannot be told apart.
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
-- A token arrives without its application.
create index refresh_tokens_by_hash on refresh_tokens (token_hash);
create index refresh_tokens_by_family on refresh_tokens (application_id, family_id);
create index refresh_tokens_by_user on refresh_tokens (application_id, api_user_id, created_at);

-- The networks from which an application may call. An empty list admits nobody.
create table ip_allow_entries (
  application_id uuid not null references applications,
  network text not null,
  note text not null default '',
  created_at timestamptz not null default now(),
  primary key (application_id, network)
);

-- A row only where somebody switched a service off or put limits in force; without one the service is on and unlimited.
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

-- The fees of a service. Rates are in millionths of the amount: 10000 is 1 %. Without a row the default schedule of lib/fees.ts applies.
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

-- The approval rules of an application. Each version is kept as it was, because a waiting transaction stays under the version that it met.
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

-- The secrets that sign webhooks. After a rotation the previous secret signs as well until it expires, so that the receiver can change over.
create table webhook_secrets (
  application_id uuid not null references applications,
  webhook_secret_id uuid not null,
  -- Encrypted, and so is every other secret that must be readable again (server/secrets-at-rest).
  secret text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  primary key (application_id, webhook_secret_id)
);

-- Which applications changed, by transaction number. A process that remembers the oldest transaction that it could not see yet reads
-- exactly the changes it missed, whatever the order of commits.
create table application_versions (
  application_id uuid primary key,
  changed_xid xid8 not null default pg_current_xact_id()
);
create index application_versions_by_change on application_versions (changed_xid);

create function note_application_change() returns trigger language plpgsql
set search_path from current as $$
begin
  insert into application_versions (application_id)
    select distinct application_id from changed_rows
    on conflict (application_id) do update set changed_xid = pg_current_xact_id();
  return null;
end $$;

-- The tables above that every process holds in memory.
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

-- From which addresses each key was used; at most twenty per key, and a process writes each row at most once a minute.
create table api_key_uses (
  application_id uuid not null,
  api_key_id uuid not null,
  address text not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  primary key (application_id, api_key_id, address)
);

-- Why calls were refused with 401 or 403, counted per minute; at most fifty rows of each cause per application.
create table api_refusals (
  application_id uuid not null,
  cause text not null,
  -- Empty: unknown. An asterisk: more addresses than are kept apart.
  address text not null,
  -- The visible beginning of a key, a user name or a service; never a credential.
  subject text not null,
  minute timestamptz not null,
  count integer not null check (count > 0),
  last_at timestamptz not null,
  primary key (application_id, cause, address, subject, minute)
);
create index api_refusals_by_time on api_refusals (application_id, cause, last_at desc);

-- The newest calls of an application, for its engineer: in a sandbox only, where phone numbers are invented. At most five hundred, for a week.
-- Credentials are removed before a row is written.
create table api_requests (
  application_id uuid not null,
  request_id uuid not null,
  -- When the call arrived.
  at timestamptz not null,
  method text not null,
  path text not null,
  -- Without its question mark.
  query text not null,
  status integer not null,
  -- Which credential was refused; null if none was, or if that is not known.
  cause text,
  -- The reason of a refusal, as the caller read it.
  message text,
  address text not null,
  duration_ms integer not null check (duration_ms >= 0),
  -- The caller proved that it belongs to the application. Anybody can send the other calls, which therefore have a limit of their own.
  is_proven boolean not null,
  -- The visible beginning of its key.
  key_prefix text,
  -- A header per line.
  request_headers text not null,
  -- The beginning of the body, and how long all of it was.
  request_body text not null,
  request_bytes integer not null,
  answer_headers text not null,
  answer_body text not null,
  answer_bytes integer not null,
  -- The transactions that it is about, by either of their names.
  transaction_ids uuid[] not null,
  external_ids uuid[] not null,
  primary key (application_id, request_id)
);
create index api_requests_by_time on api_requests (application_id, at desc);
