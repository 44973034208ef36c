-- What a person starts on a page has no program that waits for a webhook.
alter table transactions alter column webhook_url drop not null;
-- Not checked for the rows that exist: until now none could be without.
alter table transactions add constraint api_has_webhook check (source <> 'api' or webhook_url is not null) not valid;

-- The transaction that another one was sent in place of. Each is replaced at most once, so that a rejected payment that is repaired in
-- two windows is paid once.
create table transaction_origins (
  application_id uuid not null,
  transaction_id uuid not null,
  origin_id uuid not null check (origin_id <> transaction_id),
  primary key (application_id, transaction_id),
  constraint transaction_origins_origin unique (application_id, origin_id)
);

-- Payments that a person has begun and not sent. `external_id` is that of the transaction it becomes. `content` is what was typed.
create table payment_drafts (
  application_id uuid not null,
  person_id uuid not null,
  external_id uuid not null,
  origin_id uuid,
  content jsonb not null check (length(content::text) <= 4000),
  saved_at timestamptz not null default clock_timestamp(),
  primary key (application_id, person_id, external_id)
);
