-- How this installation reaches each operator. The document holds credentials, so all of it is encrypted. An identity of its own,
-- because encrypted columns are found by UUIDs.
create table operator_settings (
  operator_settings_id uuid primary key,
  operator text not null,
  protocol text not null,
  document text not null,
  version bigint not null check (version > 0),
  changed_at timestamptz not null default now(),
  unique (operator, protocol)
);

-- Access tokens that operators issued, shared by all processes. `renewing_until`: one process is fetching the next one.
create table operator_access_tokens (
  operator_access_token_id uuid primary key,
  operator text not null,
  account text not null,
  token text,
  renew_at timestamptz,
  expires_at timestamptz,
  renewing_until timestamptz,
  unique (operator, account)
);

-- Whether submissions reach each operator, per direction.
create table operator_circuits (
  operator text not null,
  type text not null check (type in ('COLLECT', 'DEPOSIT')),
  state text not null check (state in ('OPERATIONAL', 'DELAYED', 'CLOSED')),
  since timestamptz not null,
  primary key (operator, type)
);

-- What each operator reports as our balance, next to what the ledger says. `differs_since`: null while they are equal.
create table operator_balances (
  operator text primary key,
  collect_minor bigint,
  deposit_minor bigint,
  ledger_minor bigint not null,
  difference_minor bigint,
  checked_at timestamptz not null,
  differs_since timestamptz
);
