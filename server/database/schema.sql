-- What the database looks like after all migrations and functions, for reading. `npm run schema` writes this file, and a test fails
-- if it is out of date. Functions are listed by signature, because the text of each is in a file of its own. It is one file, however long, so
-- that one search finds every table that has a column, and one diff shows what a migration changed.

create table api_key_uses (
  application_id uuid        not null,
  api_key_id     uuid        not null,
  address        text        not null,
  first_at       timestamptz not null,
  last_at        timestamptz not null,
  constraint api_key_uses_pkey primary key (application_id, api_key_id, address)
);

create table api_keys (
  application_id uuid        not null,
  api_key_id     uuid        not null,
  name           text        not null,
  key_prefix     text        not null,
  key_hash       bytea       not null,
  created_by     uuid,
  created_at     timestamptz not null default now(),
  expires_at     timestamptz,
  revoked_at     timestamptz,
  constraint api_keys_pkey primary key (application_id, api_key_id),
  constraint api_keys_key_hash_key unique (key_hash),
  constraint api_keys_application_id_fkey foreign key (application_id) references applications(application_id)
);
create trigger note_delete after delete on api_keys
  referencing old table as changed_rows for each statement execute function note_application_change();
create trigger note_insert after insert on api_keys
  referencing new table as changed_rows for each statement execute function note_application_change();
create trigger note_update after update on api_keys
  referencing new table as changed_rows for each statement execute function note_application_change();

create table api_refusals (
  application_id uuid        not null,
  cause          text        not null,
  address        text        not null,
  subject        text        not null,
  minute         timestamptz not null,
  count          integer     not null,
  last_at        timestamptz not null,
  constraint api_refusals_pkey primary key (application_id, cause, address, subject, minute),
  constraint api_refusals_count_check check (count > 0)
);
create index api_refusals_by_time on api_refusals (application_id, cause, last_at desc);

create table api_requests (
  application_id uuid        not null,
  request_id     uuid        not null,
  at             timestamptz not null,
  method         text        not null,
  path           text        not null,
  status         integer     not null,
  cause          text,
  address        text        not null,
  constraint api_requests_pkey primary key (application_id, request_id)
);
create index api_requests_by_time on api_requests (application_id, at desc);

create table api_users (
  application_id uuid        not null,
  api_user_id    uuid        not null,
  username       text        not null,
  password_hash  text        not null,
  is_blocked     boolean     not null default false,
  created_at     timestamptz not null default now(),
  token_epoch    integer     not null default 1,
  constraint api_users_pkey primary key (application_id, api_user_id),
  constraint api_users_api_user_id_key unique (api_user_id),
  constraint api_users_username_key unique (username),
  constraint api_users_application_id_fkey foreign key (application_id) references applications(application_id)
);
create trigger note_delete after delete on api_users
  referencing old table as changed_rows for each statement execute function note_application_change();
create trigger note_insert after insert on api_users
  referencing new table as changed_rows for each statement execute function note_application_change();
create trigger note_update after update on api_users
  referencing new table as changed_rows for each statement execute function note_application_change();

create table application_counters (
  application_id         uuid   not null,
  transaction_count      bigint not null default 0,
  pending_count          bigint not null default 0,
  pending_approval_count bigint not null default 0,
  success_count          bigint not null default 0,
  failed_count           bigint not null default 0,
  change_number          bigint not null default 0,
  constraint application_counters_pkey primary key (application_id),
  constraint application_counters_pending_approval_count_check check (pending_approval_count >= 0),
  constraint application_counters_pending_count_check check (pending_count >= 0)
) with (fillfactor = 50);

create table application_seals (
  application_id uuid   not null,
  sealed_through date   not null,
  open_days      date[] not null default '{}'::date[],
  constraint application_seals_pkey primary key (application_id)
);

create table application_sessions (
  application_id uuid        not null,
  session_id     uuid        not null,
  last_used_at   timestamptz not null,
  address        text        not null,
  user_agent     text        not null,
  constraint application_sessions_pkey primary key (application_id, session_id),
  constraint application_sessions_application_id_fkey foreign key (application_id) references applications(application_id),
  constraint application_sessions_session_id_fkey foreign key (session_id) references person_sessions(session_id) on delete cascade,
  constraint application_sessions_address_check check (length(address) >= 1 and length(address) <= 64),
  constraint application_sessions_user_agent_check check (length(user_agent) <= 300)
);
create index application_sessions_by_session on application_sessions (session_id);

create table application_versions (
  application_id uuid not null,
  changed_xid    xid8 not null default pg_current_xact_id(),
  constraint application_versions_pkey primary key (application_id)
);
create index application_versions_by_change on application_versions (changed_xid);

create table applications (
  application_id         uuid        not null,
  name                   text        not null,
  api_id                 text        not null,
  is_enabled             boolean     not null default true,
  requires_second_factor boolean     not null default false,
  copies_webhook_status  boolean     not null default false,
  created_at             timestamptz not null default now(),
  slug                   text        not null,
  time_zone              text        not null default 'UTC',
  countries              text[]      not null default array['CAMEROON', 'IVORY_COAST', 'SENEGAL', 'BURKINA_FASO', 'MALI', 'BENIN', 'UGANDA'],
  default_webhook_url    text,
  runs_installation      boolean     not null default false,
  webhook_networks       cidr[]      not null default '{}'::cidr[],
  allows_combined_roles  boolean     not null default false,
  constraint applications_pkey primary key (application_id),
  constraint applications_api_id_key unique (api_id),
  constraint one_application_per_slug unique (slug),
  constraint applications_name_check check (length(name) >= 1 and length(name) <= 200),
  constraint countries_are_known check (cardinality(countries) > 0 and countries <@ array['CAMEROON', 'IVORY_COAST', 'SENEGAL', 'BURKINA_FASO', 'MALI', 'BENIN', 'UGANDA']),
  constraint default_webhook_url_fits check (length(default_webhook_url) >= 1 and length(default_webhook_url) <= 2048),
  constraint slug_fits_an_address check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
  constraint time_zone_is_known check (time_zone ~ '^[A-Za-z][A-Za-z0-9_+/-]*$' and timezone(time_zone, '2026-01-01 00:00:00+00'::timestamptz) is not null)
);
create unique index applications_run_by_one on applications (runs_installation) where runs_installation;
create trigger give_slug before insert on applications for each row execute function give_application_slug();
create trigger note_delete after delete on applications
  referencing old table as changed_rows for each statement execute function note_application_change();
create trigger note_insert after insert on applications
  referencing new table as changed_rows for each statement execute function note_application_change();
create trigger note_update after update on applications
  referencing new table as changed_rows for each statement execute function note_application_change();

create table approval_decisions (
  application_id uuid        not null,
  transaction_id uuid        not null,
  checker_id     uuid        not null,
  maker_id       uuid,
  decision       text        not null,
  step           smallint    not null default 1,
  note           text        not null,
  used_code      boolean     not null default false,
  through        text        not null,
  decided_at     timestamptz not null default now(),
  batch_id       uuid,
  api_user_id    uuid,
  constraint approval_decisions_pkey primary key (application_id, transaction_id, checker_id),
  constraint approval_decisions_decision_check check (decision in ('validated', 'rejected')),
  constraint approval_decisions_through_check check (through in ('api', 'back_office')),
  constraint decider_is_not_maker check (maker_id is null or maker_id <> checker_id)
);
create index approval_decisions_by_batch on approval_decisions (application_id, batch_id, decided_at) where batch_id is not null;
create index approval_decisions_by_time on approval_decisions (application_id, decided_at);
create trigger refuse_change before delete or update on approval_decisions for each row execute function refuse_change();
alter table approval_decisions enable always trigger refuse_change;
create trigger refuse_truncate before truncate on approval_decisions for each statement execute function refuse_change();
alter table approval_decisions enable always trigger refuse_truncate;

create table approval_items (
  application_id uuid        not null,
  transaction_id uuid        not null,
  policy_version integer     not null,
  rule           jsonb       not null,
  steps          smallint[]  not null,
  needs_code     boolean     not null default false,
  expires_at     timestamptz not null,
  api_may_decide boolean     not null default false,
  constraint approval_items_pkey primary key (application_id, transaction_id),
  constraint approval_items_steps_check check (cardinality(steps) >= 1 and cardinality(steps) <= 2)
);
create index approval_items_by_expiry on approval_items (expires_at);

create table approval_policies (
  application_id uuid        not null,
  version        integer     not null,
  rules          jsonb       not null,
  proposed_by    uuid,
  proposed_at    timestamptz not null default now(),
  activated_by   uuid,
  activated_at   timestamptz,
  constraint approval_policies_pkey primary key (application_id, version),
  constraint approval_policies_application_id_fkey foreign key (application_id) references applications(application_id),
  constraint two_people_change_the_rules check (proposed_by is null or activated_by is null or proposed_by <> activated_by)
);
create trigger note_delete after delete on approval_policies
  referencing old table as changed_rows for each statement execute function note_application_change();
create trigger note_insert after insert on approval_policies
  referencing new table as changed_rows for each statement execute function note_application_change();
create trigger note_update after update on approval_policies
  referencing new table as changed_rows for each statement execute function note_application_change();

create table audit_entries (
  application_id uuid        not null,
  sequence       bigint      not null,
  at             timestamptz not null,
  actor_kind     text        not null,
  actor_id       uuid,
  action         text        not null,
  subject        text        not null,
  details        jsonb       not null,
  previous_hash  bytea       not null,
  hash           bytea       not null,
  address        text,
  constraint audit_entries_pkey primary key (application_id, sequence),
  constraint audit_entries_actor_kind_check check (actor_kind in ('api', 'person', 'operator', 'system')),
  constraint audit_entries_address_check check (length(address) >= 1 and length(address) <= 64)
);
create index audit_entries_by_action on audit_entries (application_id, action, sequence);
create index audit_entries_by_actor on audit_entries (application_id, actor_id, sequence);
create index audit_entries_by_kind on audit_entries (application_id, actor_kind, sequence) where actor_kind <> 'person';
create index audit_entries_by_subject on audit_entries (application_id, "left"(subject, 80), sequence);
create index audit_entries_by_time on audit_entries (application_id, at);
create trigger refuse_change before delete or update on audit_entries for each row execute function refuse_change();
alter table audit_entries enable always trigger refuse_change;
create trigger refuse_truncate before truncate on audit_entries for each statement execute function refuse_change();
alter table audit_entries enable always trigger refuse_truncate;

create table balance_thresholds (
  application_id  uuid        not null,
  operator        text        not null,
  threshold_minor bigint      not null,
  set_by          uuid        not null,
  set_at          timestamptz not null default now(),
  constraint balance_thresholds_pkey primary key (application_id, operator),
  constraint balance_thresholds_threshold_minor_check check (threshold_minor > 0)
);

create table batch_columns (
  application_id uuid        not null,
  header_hash    bytea       not null,
  columns        jsonb       not null,
  changed_by     uuid        not null,
  changed_at     timestamptz not null default clock_timestamp(),
  constraint batch_columns_pkey primary key (application_id, header_hash)
);

create table batch_left_out (
  application_id        uuid not null,
  batch_id              uuid not null,
  failed_transaction_id uuid not null,
  reason                text not null,
  constraint batch_left_out_pkey primary key (application_id, batch_id, failed_transaction_id),
  constraint batch_left_out_reason_check check (reason in ('contradicted', 'asked', 'unanswered'))
);

create table batch_retries (
  application_id        uuid    not null,
  failed_transaction_id uuid    not null,
  parent_batch_id       uuid    not null,
  batch_id              uuid    not null,
  row_number            integer not null,
  external_id           uuid    not null,
  constraint batch_retries_pkey primary key (application_id, failed_transaction_id),
  constraint batch_retries_external_id unique (application_id, external_id),
  constraint batch_retries_row unique (application_id, batch_id, row_number)
);
create index batch_retries_by_parent on batch_retries (application_id, parent_batch_id);

create table batch_rows (
  application_id uuid    not null,
  batch_id       uuid    not null,
  row_number     integer not null,
  cells          jsonb   not null,
  edits          jsonb   not null default '{}'::jsonb,
  operator       text,
  phone_number   text,
  phone_forms    text[],
  customer_name  text,
  amount_minor   bigint,
  fee_minor      bigint,
  problems       jsonb   not null default '[]'::jsonb,
  repairs        jsonb   not null default '[]'::jsonb,
  warnings       jsonb   not null default '[]'::jsonb,
  exclusion      text,
  external_id    uuid    not null,
  transaction_id uuid,
  refusal        text,
  notes          jsonb   not null default '[]'::jsonb,
  constraint batch_rows_pkey primary key (application_id, batch_id, row_number)
);
create index batch_rows_by_phone on batch_rows (application_id, batch_id, (phone_forms[1]), row_number);
create index batch_rows_by_transaction on batch_rows (application_id, transaction_id) where transaction_id is not null;

create table batch_runs (
  application_id uuid        not null,
  batch_id       uuid        not null,
  state          text        not null,
  changed_by     uuid        not null,
  changed_at     timestamptz not null default clock_timestamp(),
  reason         text,
  constraint batch_runs_pkey primary key (application_id, batch_id),
  constraint batch_runs_state_check check (state in ('running', 'paused', 'stopped'))
);

create table batches (
  application_id   uuid        not null,
  batch_id         uuid        not null,
  name             text        not null,
  type             text        not null,
  maker_id         uuid        not null,
  created_by       uuid        not null,
  file_name        text        not null,
  file_sha256      bytea       not null,
  content_hash     bytea,
  state            text        not null,
  row_count        integer     not null,
  parent_batch_id  uuid,
  reading          jsonb       not null default '{}'::jsonb,
  headers          jsonb       not null default '[]'::jsonb,
  columns          jsonb,
  accepted_repairs text[]      not null default '{}'::text[],
  default_operator text,
  ready_count      integer     not null default 0,
  problem_count    integer     not null default 0,
  excluded_count   integer     not null default 0,
  started_count    integer     not null default 0,
  sums             jsonb       not null default '[]'::jsonb,
  version          integer     not null default 1,
  repeats_batch_id uuid,
  repeat_reason    text,
  leased_until     timestamptz,
  created_at       timestamptz not null default clock_timestamp(),
  changed_at       timestamptz not null default clock_timestamp(),
  submitted_at     timestamptz,
  constraint batches_pkey primary key (application_id, batch_id),
  constraint batches_check check ((state in ('submitting', 'submitted')) = (submitted_at is not null)),
  constraint batches_name_check check (name <> '' and length(name) <= 200),
  constraint batches_row_count_check check (row_count >= 0 and row_count <= 10000),
  constraint batches_state_check check (state in ('checking', 'draft', 'submitting', 'submitted', 'discarded')),
  constraint batches_type_check check (type in ('COLLECT', 'DEPOSIT'))
);
create index batches_by_content on batches (application_id, content_hash) where submitted_at is not null;
create index batches_by_time on batches (application_id, created_at desc, batch_id);
create index batches_submitting on batches (leased_until) where state = 'submitting';

create table contradiction_queries (
  application_id uuid        not null,
  transaction_id uuid        not null,
  operator       text        not null,
  tries          smallint    not null default 0,
  next_at        timestamptz not null,
  kind           text        not null,
  said           text,
  answer         text,
  ended_at       timestamptz,
  constraint contradiction_queries_pkey primary key (application_id, transaction_id, kind),
  constraint contradiction_queries_kind_check check (kind in ('contradiction', 'hint', 'hour_look', 'day_look'))
);
create index contradiction_queries_due on contradiction_queries (operator, application_id, kind, next_at) where ended_at is null;
create index contradiction_queries_ended on contradiction_queries (ended_at) where ended_at is not null;

create table customer_code_numbers (
  operator       text          not null,
  phone_number   text          not null,
  transaction_id uuid          not null,
  held_until     timestamptz   not null,
  refused_at     timestamptz[] not null default '{}'::timestamptz[],
  constraint customer_code_numbers_pkey primary key (operator, phone_number)
);

create table customer_marks (
  application_id uuid   not null,
  listed_until   bigint not null,
  constraint customer_marks_pkey primary key (application_id)
);

create table customer_words (
  application_id uuid not null,
  word           text not null,
  phone_number   text not null,
  constraint customer_words_pkey primary key (application_id, word, phone_number)
);

create table customers (
  application_id uuid not null,
  phone_number   text not null,
  folded_name    text not null,
  customer_name  text not null,
  constraint customers_pkey primary key (application_id, phone_number, folded_name)
);

create table day_zones (
  application_id    uuid        not null,
  time_zone         text        not null,
  counted_from      bigint,
  is_ledger_counted boolean     not null default false,
  is_wanted         boolean     not null default false,
  last_used_at      timestamptz not null default clock_timestamp(),
  constraint day_zones_pkey primary key (application_id, time_zone),
  constraint day_zones_counted_from_check check (counted_from >= 1)
);

create table ended_sessions (
  session_id uuid        not null,
  ends_at    timestamptz not null,
  constraint ended_sessions_pkey primary key (session_id)
);
create index ended_sessions_by_end on ended_sessions (ends_at);

create table export_pieces (
  application_id uuid        not null,
  export_id      uuid        not null,
  number         integer     not null,
  stored_at      timestamptz not null default clock_timestamp(),
  content        bytea       not null,
  constraint export_pieces_pkey primary key (application_id, export_id, number),
  constraint export_pieces_number_check check (number >= 0)
);
create index export_pieces_by_time on export_pieces (application_id, stored_at);

create table exports (
  application_id uuid        not null,
  export_id      uuid        not null,
  person_id      uuid        not null,
  format         text        not null,
  query          text        not null,
  selected       integer,
  cut_off_at     timestamptz not null,
  started_at     timestamptz not null default clock_timestamp(),
  finished_at    timestamptz,
  row_count      bigint,
  totals         jsonb,
  data_sha256    bytea,
  file_sha256    bytea,
  file_bytes     bigint,
  columns        text[],
  stored_at      timestamptz,
  time_zone      text,
  constraint exports_pkey primary key (application_id, export_id),
  constraint exports_data_sha256_check check (length(data_sha256) = 32),
  constraint exports_file_sha256_check check (length(file_sha256) = 32),
  constraint exports_format_check check (format in ('csv', 'xlsx'))
);
create index exports_by_file on exports (application_id, file_sha256);
create index exports_by_time on exports (application_id, started_at desc);

create table fee_days (
  application_id   uuid   not null,
  day              date   not null,
  operator         text   not null,
  type             text   not null,
  fee_system_minor bigint not null,
  fee_app_minor    bigint not null,
  constraint fee_days_pkey primary key (application_id, day, operator, type),
  constraint fee_days_fee_app_minor_check check (fee_app_minor >= 0),
  constraint fee_days_fee_system_minor_check check (fee_system_minor >= 0)
);
create trigger add_fee_month after insert or update on fee_days for each row execute function add_fee_month();

create table fee_marks (
  application_id uuid   not null,
  added_until    bigint not null,
  constraint fee_marks_pkey primary key (application_id)
);

create table fee_months (
  application_id   uuid   not null,
  month            date   not null,
  operator         text   not null,
  type             text   not null,
  fee_system_minor bigint not null,
  fee_app_minor    bigint not null,
  constraint fee_months_pkey primary key (application_id, month, operator, type),
  constraint fee_months_fee_app_minor_check check (fee_app_minor >= 0),
  constraint fee_months_fee_system_minor_check check (fee_system_minor >= 0)
);

create table fee_schedules (
  application_id     uuid    not null,
  operator           text    not null,
  type               text    not null,
  system_rate_ppm    integer not null,
  system_fixed_minor bigint  not null,
  app_rate_ppm       integer not null,
  app_fixed_minor    bigint  not null,
  constraint fee_schedules_pkey primary key (application_id, operator, type),
  constraint fee_schedules_application_id_fkey foreign key (application_id) references applications(application_id),
  constraint fee_schedules_app_fixed_minor_check check (app_fixed_minor >= 0),
  constraint fee_schedules_app_rate_ppm_check check (app_rate_ppm >= 0 and app_rate_ppm <= 1000000),
  constraint fee_schedules_system_fixed_minor_check check (system_fixed_minor >= 0),
  constraint fee_schedules_system_rate_ppm_check check (system_rate_ppm >= 0 and system_rate_ppm <= 1000000),
  constraint fee_schedules_type_check check (type in ('COLLECT', 'DEPOSIT'))
);
create trigger note_delete after delete on fee_schedules
  referencing old table as changed_rows for each statement execute function note_application_change();
create trigger note_insert after insert on fee_schedules
  referencing new table as changed_rows for each statement execute function note_application_change();
create trigger note_update after update on fee_schedules
  referencing new table as changed_rows for each statement execute function note_application_change();

create table fundings (
  application_id       uuid        not null,
  funding_id           uuid        not null,
  kind                 text        not null,
  operator             text        not null,
  currency             text        not null,
  account              text        not null,
  amount_minor         bigint      not null,
  reference            text        not null,
  reference_key        text        not null,
  note                 text        not null default '',
  attachment_name      text,
  attachment_sha256    bytea,
  proposed_by          uuid        not null,
  proposed_at          timestamptz not null default now(),
  expires_at           timestamptz not null,
  outcome              text,
  decided_by           uuid,
  decided_at           timestamptz,
  reason               text        not null default '',
  collect_before_minor bigint,
  collect_after_minor  bigint,
  deposit_before_minor bigint,
  deposit_after_minor  bigint,
  constraint fundings_pkey primary key (application_id, funding_id),
  constraint fundings_application_id_fkey foreign key (application_id) references applications(application_id),
  constraint fundings_decided_by_fkey foreign key (decided_by) references people(person_id),
  constraint fundings_proposed_by_fkey foreign key (proposed_by) references people(person_id),
  constraint confirmed_has_balances check ((not outcome is distinct from 'confirmed') = (num_nulls(collect_before_minor, collect_after_minor, deposit_before_minor, deposit_after_minor) = 0)),
  constraint file_has_name_and_digest check ((attachment_name is null) = (attachment_sha256 is null)),
  constraint funding_is_decided_by_somebody check ((outcome is null) = (decided_by is null) and (outcome is null) = (decided_at is null)),
  constraint fundings_account_check check (account in ('collect', 'deposit')),
  constraint fundings_amount_minor_check check (amount_minor <> 0),
  constraint fundings_attachment_name_check check (length(attachment_name) >= 1 and length(attachment_name) <= 200),
  constraint fundings_attachment_sha256_check check (length(attachment_sha256) = 32),
  constraint fundings_kind_check check (kind in ('pay_in', 'move', 'correction')),
  constraint fundings_note_check check (length(note) <= 500),
  constraint fundings_outcome_check check (outcome in ('confirmed', 'refused', 'withdrawn')),
  constraint fundings_reason_check check (length(reason) <= 500),
  constraint fundings_reference_check check (length(reference) >= 1 and length(reference) <= 100),
  constraint fundings_reference_key_check check (reference_key <> ''),
  constraint only_corrections_choose_the_balance check (account = 'deposit' or kind = 'correction'),
  constraint only_corrections_take_away check (amount_minor > 0 or kind = 'correction'),
  constraint only_moves_have_no_file check (attachment_sha256 is not null or kind = 'move'),
  constraint two_people_move_money check (outcome is null or (outcome = 'withdrawn') = (decided_by = proposed_by))
);
create unique index fundings_booked_once on fundings (application_id, kind, reference_key) where outcome = 'confirmed';
create index fundings_by_reference on fundings (application_id, kind, reference_key);
create index fundings_by_time on fundings (application_id, proposed_at desc, funding_id);

create table installation (
  is_only    boolean     not null default true,
  mode       text        not null,
  stamped_at timestamptz not null default now(),
  constraint installation_pkey primary key (is_only),
  constraint installation_is_only_check check (is_only),
  constraint installation_mode_check check (mode in ('sandbox', 'production'))
);

create table ip_allow_entries (
  application_id uuid        not null,
  network        text        not null,
  note           text        not null default '',
  created_at     timestamptz not null default now(),
  constraint ip_allow_entries_pkey primary key (application_id, network),
  constraint ip_allow_entries_application_id_fkey foreign key (application_id) references applications(application_id)
);
create trigger note_delete after delete on ip_allow_entries
  referencing old table as changed_rows for each statement execute function note_application_change();
create trigger note_insert after insert on ip_allow_entries
  referencing new table as changed_rows for each statement execute function note_application_change();
create trigger note_update after update on ip_allow_entries
  referencing new table as changed_rows for each statement execute function note_application_change();

create table ledger_balances (
  application_id uuid   not null,
  operator       text   not null,
  currency       text   not null,
  collect_minor  bigint not null default 0,
  deposit_minor  bigint not null default 0,
  held_minor     bigint not null default 0,
  fees_minor     bigint not null default 0,
  clearing_minor bigint not null default 0,
  revenue_minor  bigint not null default 0,
  constraint ledger_balances_pkey primary key (application_id, operator),
  constraint books_balance check ((collect_minor + deposit_minor + held_minor + fees_minor + clearing_minor + revenue_minor) = 0),
  constraint ledger_balances_deposit_minor_check check (deposit_minor >= 0),
  constraint ledger_balances_held_minor_check check (held_minor >= 0)
) with (fillfactor = 50);

create table ledger_day_edges (
  application_id  uuid   not null,
  time_zone       text   not null,
  operator        text   not null,
  day             date   not null,
  business_day    date   not null,
  posting_count   bigint not null,
  collect_minor   bigint not null,
  deposit_minor   bigint not null,
  held_minor      bigint not null,
  collected_minor bigint not null,
  paid_minor      bigint not null,
  fees_minor      bigint not null,
  funded_minor    bigint not null,
  corrected_minor bigint not null,
  placed_minor    bigint not null,
  released_minor  bigint not null,
  constraint ledger_day_edges_pkey primary key (application_id, time_zone, operator, day, business_day)
);

create table ledger_days (
  application_id     uuid   not null,
  operator           text   not null,
  day                date   not null,
  posting_count      bigint not null,
  collect_minor      bigint not null,
  deposit_minor      bigint not null,
  held_minor         bigint not null,
  collected_minor    bigint not null,
  paid_minor         bigint not null,
  fees_minor         bigint not null,
  funded_minor       bigint not null,
  corrected_minor    bigint not null,
  placed_minor       bigint not null,
  released_minor     bigint not null,
  deposit_peak_minor bigint not null,
  constraint ledger_days_pkey primary key (application_id, operator, day),
  constraint ledger_days_deposit_peak_minor_check check (deposit_peak_minor >= 0),
  constraint statement_adds_up check ((collect_minor + deposit_minor + held_minor) = (collected_minor + funded_minor + corrected_minor - paid_minor - fees_minor))
);

create table ledger_postings (
  application_id uuid        not null,
  subject_id     uuid        not null,
  kind           text        not null,
  operator       text        not null,
  currency       text        not null,
  collect_minor  bigint      not null default 0,
  deposit_minor  bigint      not null default 0,
  held_minor     bigint      not null default 0,
  fees_minor     bigint      not null default 0,
  clearing_minor bigint      not null default 0,
  revenue_minor  bigint      not null default 0,
  actor_id       uuid,
  reason         text,
  at             timestamptz not null,
  constraint ledger_postings_pkey primary key (application_id, subject_id, kind),
  constraint ledger_postings_kind_check check (kind in ('hold', 'release', 'settle', 'fund', 'move', 'correct')) not valid,
  constraint posting_balances check ((collect_minor + deposit_minor + held_minor + fees_minor + clearing_minor + revenue_minor) = 0)
);
create index ledger_postings_by_time on ledger_postings using brin (at) with (pages_per_range='16', autosummarize='on');
create trigger refuse_change before delete or update on ledger_postings for each row execute function refuse_change();
alter table ledger_postings enable always trigger refuse_change;
create trigger refuse_truncate before truncate on ledger_postings for each statement execute function refuse_change();
alter table ledger_postings enable always trigger refuse_truncate;

create table ledger_seal (
  is_only      boolean     not null default true,
  sealed_until timestamptz not null,
  constraint ledger_seal_pkey primary key (is_only),
  constraint ledger_seal_is_only_check check (is_only)
);

create table memberships (
  application_id uuid        not null,
  person_id      uuid        not null,
  roles          text[]      not null,
  is_active      boolean     not null default true,
  created_at     timestamptz not null default now(),
  suspended_at   timestamptz,
  suspended_by   uuid,
  constraint memberships_pkey primary key (application_id, person_id),
  constraint memberships_application_id_fkey foreign key (application_id) references applications(application_id),
  constraint memberships_person_id_fkey foreign key (person_id) references people(person_id),
  constraint memberships_suspended_by_fkey foreign key (suspended_by) references people(person_id),
  constraint memberships_roles_check check (roles <@ array['maker', 'checker', 'finance', 'administrator', 'engineer']),
  constraint suspended_by_somebody check ((suspended_at is null) = (suspended_by is null)),
  constraint suspended_is_inactive check (suspended_at is null or not is_active)
);
create index memberships_by_person on memberships (person_id);

create table operator_access_tokens (
  operator_access_token_id uuid        not null,
  operator                 text        not null,
  account                  text        not null,
  token                    text,
  renew_at                 timestamptz,
  expires_at               timestamptz,
  renewing_until           timestamptz,
  constraint operator_access_tokens_pkey primary key (operator_access_token_id),
  constraint operator_access_tokens_operator_account_key unique (operator, account)
);

create table operator_attempts (
  application_id uuid        not null,
  transaction_id uuid        not null,
  number         integer     not null,
  kind           text        not null,
  started_at     timestamptz not null,
  finished_at    timestamptz,
  outcome        text,
  http_status    integer,
  answer         text,
  is_verified    boolean,
  constraint operator_attempts_pkey primary key (application_id, transaction_id, number),
  constraint operator_attempts_kind_check check (kind in ('submit', 'query', 'callback'))
);

create table operator_availability (
  operator text        not null,
  type     text        not null,
  since    timestamptz not null,
  state    text        not null,
  constraint operator_availability_pkey primary key (operator, type, since),
  constraint operator_availability_state_check check (state in ('OPERATIONAL', 'DELAYED', 'CLOSED')),
  constraint operator_availability_type_check check (type in ('COLLECT', 'DEPOSIT'))
);

create table operator_balances (
  operator         text        not null,
  collect_minor    bigint,
  deposit_minor    bigint,
  ledger_minor     bigint      not null,
  difference_minor bigint,
  checked_at       timestamptz not null,
  differs_since    timestamptz,
  constraint operator_balances_pkey primary key (operator)
);

create table operator_circuits (
  operator      text        not null,
  type          text        not null,
  state         text        not null,
  since         timestamptz not null,
  fault         text,
  fault_version text,
  constraint operator_circuits_pkey primary key (operator, type),
  constraint operator_circuits_fault_check check (fault is null or state = 'CLOSED' and fault_version is not null),
  constraint operator_circuits_state_check check (state in ('OPERATIONAL', 'DELAYED', 'CLOSED')),
  constraint operator_circuits_type_check check (type in ('COLLECT', 'DEPOSIT'))
);

create table operator_contradictions (
  application_id uuid        not null,
  transaction_id uuid        not null,
  number         smallint    not null,
  source         text        not null,
  said           text        not null,
  stored_status  text        not null,
  http_status    integer,
  answer         text        not null,
  at             timestamptz not null,
  constraint operator_contradictions_pkey primary key (application_id, transaction_id, number),
  constraint operator_contradictions_number_check check (number >= 1 and number <= 9),
  constraint operator_contradictions_said_check check (said in ('succeeded', 'failed', 'pending', 'not_found', 'unknown')),
  constraint operator_contradictions_source_check check (source in ('callback', 'hint', 'submit', 'query')),
  constraint operator_contradictions_stored_status_check check (stored_status in ('SUCCESS', 'FAILED'))
);
create index operator_contradictions_newest on operator_contradictions (application_id, at) where number = 1;
create trigger refuse_change before delete or update on operator_contradictions for each row execute function refuse_change();
alter table operator_contradictions enable always trigger refuse_change;
create trigger refuse_truncate before truncate on operator_contradictions for each statement execute function refuse_change();
alter table operator_contradictions enable always trigger refuse_truncate;

create table operator_outcome_marks (
  application_id uuid   not null,
  success_until  bigint not null,
  failed_until   bigint not null,
  constraint operator_outcome_marks_pkey primary key (application_id)
);

create table operator_outcomes (
  application_id    uuid        not null,
  operator          text        not null,
  type              text        not null,
  hour              timestamptz not null,
  outcome           text        not null,
  bucket            smallint    not null,
  transaction_count bigint      not null,
  constraint operator_outcomes_pkey primary key (application_id, operator, hour, type, outcome, bucket)
);

create table operator_reference_marks (
  application_id uuid   not null,
  success_until  bigint not null,
  failed_until   bigint not null,
  constraint operator_reference_marks_pkey primary key (application_id)
);

create table operator_references (
  application_id     uuid not null,
  operator_reference text not null,
  transaction_id     uuid not null,
  operator           text not null,
  type               text not null,
  constraint operator_references_pkey primary key (application_id, operator_reference, transaction_id)
);
create index operator_references_by_operator on operator_references (operator, type, operator_reference);

create table operator_settings (
  operator_settings_id uuid        not null,
  operator             text        not null,
  protocol             text        not null,
  document             text        not null,
  version              bigint      not null,
  changed_at           timestamptz not null default now(),
  constraint operator_settings_pkey primary key (operator_settings_id),
  constraint operator_settings_operator_protocol_key unique (operator, protocol),
  constraint operator_settings_version_check check (version > 0)
);

create table operator_work (
  application_id     uuid        not null,
  transaction_id     uuid        not null,
  operator           text        not null,
  state              text        not null,
  next_at            timestamptz not null,
  attempts           integer     not null default 0,
  queries            integer     not null default 0,
  unconfirmed_since  timestamptz,
  last_answer        text,
  submissions        integer     not null default 0,
  is_claimed         boolean     not null default false,
  claimed_at         timestamptz,
  hinted_at          timestamptz,
  absent_since       timestamptz,
  operator_reference text,
  operator_token     text,
  accepted_at        timestamptz,
  type               text        not null default 'DEPOSIT',
  route              text,
  customer_link      text,
  customer_code      text,
  code_until         timestamptz,
  refused_codes      integer     not null default 0,
  result             text,
  result_reason      text,
  result_code        text,
  page_opened_at     timestamptz,
  claimed_until      timestamptz,
  submit_number      integer,
  phase              text        generated always as (
case
    when (state in ('queued', 'paused', 'awaiting_code')) then state
    else 'begun'
end),
  enquire_at         timestamptz,
  hints              smallint    not null default 0,
  constraint operator_work_pkey primary key (application_id, transaction_id),
  constraint operator_work_accepted_stays check ((state <> all (array['queued', 'paused', 'awaiting_code'])) or accepted_at is null),
  constraint operator_work_result_check check (result in ('succeeded', 'failed', 'refused')),
  constraint operator_work_state_check check (state in ('queued', 'paused', 'unfunded', 'refused', 'awaiting_code', 'submitting', 'submitted', 'unconfirmed')),
  constraint operator_work_type_check check (type in ('COLLECT', 'DEPOSIT'))
) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000, fillfactor = 40);
create index operator_work_awaiting_code on operator_work (code_until) where phase = 'awaiting_code';
create index operator_work_begun on operator_work (operator, next_at) where phase <> 'queued';
create index operator_work_paused on operator_work (application_id, transaction_id) where phase = 'paused';
create index operator_work_unconfirmed on operator_work (application_id, unconfirmed_since) where unconfirmed_since is not null;
create index operator_work_waiting on operator_work (operator, type, next_at) where phase = 'queued';

create table payment_drafts (
  application_id uuid        not null,
  person_id      uuid        not null,
  external_id    uuid        not null,
  origin_id      uuid,
  content        jsonb       not null,
  saved_at       timestamptz not null default clock_timestamp(),
  constraint payment_drafts_pkey primary key (application_id, person_id, external_id),
  constraint payment_drafts_content_check check (length(content::text) <= 4000)
);

create table people (
  person_id        uuid        not null,
  email            text        not null,
  name             text        not null,
  password_hash    text        not null,
  is_blocked       boolean     not null default false,
  locale           text,
  time_zone        text,
  totp_secret      text,
  totp_enabled_at  timestamptz,
  totp_last_step   bigint,
  session_epoch    integer     not null default 1,
  created_at       timestamptz not null default now(),
  codes_guessed_at timestamptz,
  constraint people_pkey primary key (person_id),
  constraint people_email_key unique (email),
  constraint people_email_check check (email = lower(email)),
  constraint people_locale_check check (locale in ('en', 'fr')),
  constraint people_name_check check (length(name) >= 1 and length(name) <= 200)
);

create table person_invitations (
  application_id uuid        not null,
  invitation_id  uuid        not null,
  email          text        not null,
  name           text        not null,
  roles          text[]      not null,
  token_hash     bytea       not null,
  proposed_by    uuid        not null,
  confirmed_by   uuid        not null,
  created_at     timestamptz not null default now(),
  expires_at     timestamptz not null,
  accepted_by    uuid,
  accepted_at    timestamptz,
  withdrawn_at   timestamptz,
  link_holders   uuid[]      not null,
  code           text,
  wrong_codes    integer     not null default 0,
  joined_like    uuid,
  activated_by   uuid,
  activated_at   timestamptz,
  constraint person_invitations_pkey primary key (application_id, invitation_id),
  constraint person_invitations_token_hash_key unique (token_hash),
  constraint person_invitations_accepted_by_fkey foreign key (accepted_by) references people(person_id),
  constraint person_invitations_activated_by_fkey foreign key (activated_by) references people(person_id),
  constraint person_invitations_application_id_fkey foreign key (application_id) references applications(application_id),
  constraint person_invitations_confirmed_by_fkey foreign key (confirmed_by) references people(person_id),
  constraint person_invitations_joined_like_fkey foreign key (joined_like) references people(person_id),
  constraint person_invitations_proposed_by_fkey foreign key (proposed_by) references people(person_id),
  constraint activated_after_joining check ((activated_at is null) = (activated_by is null) and (activated_at is null or accepted_at is not null)),
  constraint activated_by_another check ((activated_by <> all (link_holders)) and activated_by <> accepted_by),
  constraint activated_or_withdrawn check (activated_at is null or withdrawn_at is null),
  constraint code_while_it_is_needed check ((code is not null) = (accepted_at is not null and activated_at is null and withdrawn_at is null)),
  constraint link_holders_confirm check (confirmed_by = any (link_holders)),
  constraint person_invitations_check check (proposed_by <> confirmed_by),
  constraint person_invitations_check1 check ((accepted_by is null) = (accepted_at is null)),
  constraint person_invitations_email_check check (email = lower(email)),
  constraint person_invitations_name_check check (length(name) >= 1 and length(name) <= 200),
  constraint person_invitations_roles_check check (cardinality(roles) > 0 and roles <@ array['maker', 'checker', 'finance', 'administrator', 'engineer']),
  constraint proposer_holds_no_link check (proposed_by <> all (link_holders))
);
create index person_invitations_by_email on person_invitations (email) where activated_at is null and withdrawn_at is null;
create unique index person_invitations_open on person_invitations (application_id, email)
  where activated_at is null and withdrawn_at is null;

create table person_sessions (
  session_id   uuid        not null,
  person_id    uuid        not null,
  epoch        integer     not null,
  started_at   timestamptz not null,
  ends_at      timestamptz not null,
  last_used_at timestamptz not null,
  address      text        not null,
  user_agent   text        not null,
  constraint person_sessions_pkey primary key (session_id),
  constraint person_sessions_person_id_fkey foreign key (person_id) references people(person_id),
  constraint person_sessions_address_check check (length(address) >= 1 and length(address) <= 64),
  constraint person_sessions_user_agent_check check (length(user_agent) <= 300)
);
create index person_sessions_by_end on person_sessions (ends_at);
create index person_sessions_by_person on person_sessions (person_id, last_used_at desc);

create table person_sightings (
  application_id uuid        not null,
  person_id      uuid        not null,
  last_seen_at   timestamptz not null,
  constraint person_sightings_pkey primary key (application_id, person_id),
  constraint person_sightings_application_id_fkey foreign key (application_id) references applications(application_id),
  constraint person_sightings_person_id_fkey foreign key (person_id) references people(person_id)
);

create table proposed_changes (
  application_id uuid        not null,
  change_id      uuid        not null,
  kind           text        not null,
  subject        text        not null,
  payload        jsonb       not null,
  before         jsonb       not null,
  after          jsonb       not null,
  proposed_by    uuid        not null,
  proposed_at    timestamptz not null default now(),
  expires_at     timestamptz not null,
  outcome        text,
  decided_by     uuid,
  decided_at     timestamptz,
  reason         text        not null default '',
  collect_until  timestamptz,
  collected_at   timestamptz,
  sealed_payload text,
  constraint proposed_changes_pkey primary key (application_id, change_id),
  constraint proposed_changes_application_id_fkey foreign key (application_id) references applications(application_id),
  constraint proposed_changes_decided_by_fkey foreign key (decided_by) references people(person_id),
  constraint proposed_changes_proposed_by_fkey foreign key (proposed_by) references people(person_id),
  constraint proposed_changes_check check ((outcome is null) = (decided_by is null) and (outcome is null) = (decided_at is null)),
  constraint proposed_changes_check1 check (outcome is null or (outcome = 'withdrawn') = (decided_by = proposed_by)),
  constraint proposed_changes_collected check (collected_at is null or collect_until is not null and outcome = 'confirmed'),
  constraint proposed_changes_keep_no_secrets check (outcome is null or sealed_payload is null),
  constraint proposed_changes_outcome_check check (outcome in ('confirmed', 'refused', 'withdrawn')),
  constraint proposed_changes_reason_check check (length(reason) <= 500)
);
create index proposed_changes_by_time on proposed_changes (application_id, proposed_at desc);
create index proposed_changes_sealed on proposed_changes (expires_at) where sealed_payload is not null;

create table readiness (
  is_only    boolean     not null default true,
  written_at timestamptz not null,
  constraint readiness_pkey primary key (is_only),
  constraint readiness_is_only_check check (is_only)
);

create table recovery_codes (
  person_id uuid        not null,
  code_hash bytea       not null,
  used_at   timestamptz,
  constraint recovery_codes_pkey primary key (person_id, code_hash),
  constraint recovery_codes_person_id_fkey foreign key (person_id) references people(person_id)
);

create table refresh_tokens (
  application_id uuid        not null,
  token_hash     bytea       not null,
  api_user_id    uuid        not null,
  family_id      uuid        not null,
  created_at     timestamptz not null default now(),
  expires_at     timestamptz not null,
  replaced_at    timestamptz,
  revoked_at     timestamptz,
  constraint refresh_tokens_pkey primary key (application_id, token_hash),
  constraint refresh_tokens_application_id_fkey foreign key (application_id) references applications(application_id)
);
create index refresh_tokens_by_family on refresh_tokens (application_id, family_id);
create index refresh_tokens_by_hash on refresh_tokens (token_hash);
create index refresh_tokens_by_user on refresh_tokens (application_id, api_user_id, created_at);

create table retention_marks (
  kind           text        not null,
  removed_before timestamptz not null,
  constraint retention_marks_pkey primary key (kind)
);

create table saved_views (
  application_id uuid        not null,
  person_id      uuid        not null,
  view_id        uuid        not null,
  name           text        not null,
  query          text        not null,
  created_at     timestamptz not null default now(),
  is_shared      boolean     not null default false,
  constraint saved_views_pkey primary key (application_id, person_id, view_id),
  constraint saved_views_name unique (application_id, person_id, name),
  constraint saved_views_name_check check (length(name) >= 1 and length(name) <= 80),
  constraint saved_views_query_check check (length(query) <= 2000)
);

create table scheduled_tasks (
  task          text        not null,
  due_at        timestamptz not null,
  attempts      integer     not null default 0,
  claim_id      uuid,
  claimed_until timestamptz,
  constraint scheduled_tasks_pkey primary key (task),
  constraint scheduled_tasks_attempts_check check (attempts >= 0),
  constraint scheduled_tasks_check check ((claim_id is null) = (claimed_until is null))
);

create table schema_functions (
  file       text        not null,
  digest     text        not null,
  applied_at timestamptz not null default now(),
  constraint schema_functions_pkey primary key (file)
);

create table schema_migrations (
  name       text        not null,
  digest     text        not null,
  applied_at timestamptz not null default now(),
  constraint schema_migrations_pkey primary key (name)
);

create table schema_release (
  is_only         boolean not null default true,
  number          integer not null,
  compatible_from integer not null,
  constraint schema_release_pkey primary key (is_only),
  constraint schema_release_is_only_check check (is_only)
);

create table sealed_operator_months (
  application_id    uuid   not null,
  month             date   not null,
  operator          text   not null,
  type              text   not null,
  status            text   not null,
  transaction_count bigint not null,
  amount_minor      bigint not null,
  constraint sealed_operator_months_pkey primary key (application_id, month, operator, type, status),
  constraint sealed_operator_months_status_check check (status in ('SUCCESS', 'FAILED'))
);

create table sealed_totals (
  application_id    uuid   not null,
  status            text   not null,
  span              text   not null,
  first_day         date   not null,
  transaction_count bigint not null,
  amount_minor      bigint not null,
  constraint sealed_totals_pkey primary key (application_id, status, span, first_day),
  constraint sealed_totals_span_check check (span in ('day', 'month')),
  constraint sealed_totals_status_check check (status in ('SUCCESS', 'FAILED'))
);

create table second_look_marks (
  application_id  uuid   not null,
  failed_sequence bigint not null,
  constraint second_look_marks_pkey primary key (application_id)
);

create table secrets_keys (
  key_id        text        not null,
  verification  text        not null,
  registered_at timestamptz not null default now(),
  constraint secrets_keys_pkey primary key (key_id)
);

create table shared_operator_references (
  application_id       uuid        not null,
  transaction_id       uuid        not null,
  operator             text        not null,
  type                 text        not null,
  operator_reference   text        not null,
  other_application_id uuid        not null,
  other_transaction_id uuid        not null,
  at                   timestamptz not null default clock_timestamp(),
  constraint shared_operator_references_pkey primary key (application_id, transaction_id)
);
create index shared_operator_references_newest on shared_operator_references (application_id, at);
create trigger refuse_change before delete or update on shared_operator_references for each row execute function refuse_change();
alter table shared_operator_references enable always trigger refuse_change;
create trigger refuse_truncate before truncate on shared_operator_references for each statement execute function refuse_change();
alter table shared_operator_references enable always trigger refuse_truncate;

create table sign_in_networks (
  name_digest     bytea       not null,
  network_digest  bytea       not null,
  last_success_at timestamptz not null,
  constraint sign_in_networks_pkey primary key (name_digest, network_digest)
);
create index sign_in_networks_by_age on sign_in_networks (last_success_at);

create unlogged table sign_in_throttles (
  throttle_key    text        not null,
  failures        integer     not null,
  last_failure_at timestamptz not null,
  constraint sign_in_throttles_pkey primary key (throttle_key)
);

create table transaction_day_edges (
  application_id    uuid   not null,
  time_zone         text   not null,
  status            text   not null,
  day               date   not null,
  business_day      date   not null,
  operator          text   not null,
  type              text   not null,
  transaction_count bigint not null,
  amount_minor      bigint not null,
  fee_system_minor  bigint not null,
  fee_app_minor     bigint not null,
  constraint transaction_day_edges_pkey primary key (application_id, time_zone, status, day, business_day, operator, type)
);

create table transaction_days (
  application_id    uuid   not null,
  day               date   not null,
  operator          text   not null,
  type              text   not null,
  status            text   not null,
  transaction_count bigint not null,
  amount_minor      bigint not null,
  constraint transaction_days_pkey primary key (application_id, status, day, operator, type),
  constraint transaction_days_amount_minor_check check (amount_minor >= 0),
  constraint transaction_days_transaction_count_check check (transaction_count >= 0)
) with (fillfactor = 50);

create table transaction_events (
  application_id uuid        not null,
  transaction_id uuid        not null,
  version        integer     not null,
  from_status    text,
  to_status      text        not null,
  event          text        not null,
  actor_kind     text        not null,
  actor_id       uuid,
  reason         text,
  at             timestamptz not null,
  constraint transaction_events_pkey primary key (application_id, transaction_id, version),
  constraint transaction_events_actor_kind_check check (actor_kind in ('api', 'person', 'operator', 'system'))
);
create trigger refuse_change before delete or update on transaction_events for each row execute function refuse_change();
alter table transaction_events enable always trigger refuse_change;
create trigger refuse_truncate before truncate on transaction_events for each statement execute function refuse_change();
alter table transaction_events enable always trigger refuse_truncate;

create table transaction_origins (
  application_id uuid not null,
  transaction_id uuid not null,
  origin_id      uuid not null,
  constraint transaction_origins_pkey primary key (application_id, transaction_id),
  constraint transaction_origins_origin unique (application_id, origin_id),
  constraint transaction_origins_check check (origin_id <> transaction_id)
);

create table transactions (
  application_id     uuid        not null,
  transaction_id     uuid        not null,
  sequence           bigint      not null,
  final_sequence     bigint,
  external_id        uuid        not null,
  type               text        not null,
  status             text        not null,
  operator           text        not null,
  currency           text        not null,
  amount_minor       bigint      not null,
  fee_system_minor   bigint      not null,
  fee_app_minor      bigint      not null,
  held_minor         bigint      not null default 0,
  customer_name      text        not null,
  phone_number       text        not null,
  webhook_url        text,
  pay_token          text        not null,
  operator_token     text,
  message            text,
  source             text        not null,
  maker_id           uuid,
  checker_id         uuid,
  batch_id           uuid,
  version            integer     not null default 1,
  created_at         timestamptz not null,
  final_at           timestamptz,
  operator_reference text,
  constraint transactions_pkey primary key (application_id, transaction_id),
  constraint transactions_external_id unique (application_id, external_id),
  constraint transactions_sequence unique (application_id, sequence),
  constraint api_has_webhook check (source <> 'api' or webhook_url is not null) not valid,
  constraint final_has_sequence check ((status in ('SUCCESS', 'FAILED')) = (final_sequence is not null)),
  constraint maker_is_not_checker check (maker_id is null or checker_id is null or maker_id <> checker_id),
  constraint transactions_amount_minor_check check (amount_minor > 0),
  constraint transactions_fee_app_minor_check check (fee_app_minor >= 0),
  constraint transactions_fee_system_minor_check check (fee_system_minor >= 0),
  constraint transactions_held_minor_check check (held_minor >= 0),
  constraint transactions_source_check check (source in ('api', 'person', 'file')),
  constraint transactions_status_check check (status in ('PENDING_APPROVAL', 'PENDING', 'SUCCESS', 'FAILED')),
  constraint transactions_type_check check (type in ('COLLECT', 'DEPOSIT'))
) with (autovacuum_vacuum_scale_factor = 0.05);
create index transactions_by_batch on transactions (application_id, batch_id) where batch_id is not null;
create index transactions_by_maker on transactions (application_id, maker_id, sequence) where maker_id is not null;
create index transactions_by_operator_token on transactions using hash (operator_token) where operator_token is not null;
create index transactions_by_pay_token on transactions using hash (pay_token);
create index transactions_by_phone on transactions (application_id, phone_number, sequence);
create unique index transactions_final_sequence on transactions (application_id, status, final_sequence) where final_sequence is not null;
create index transactions_waiting on transactions (application_id, sequence) where status = 'PENDING_APPROVAL';
create index transactions_waiting_alone on transactions (application_id, sequence)
  where status = 'PENDING_APPROVAL' and not (source = 'file' and batch_id is not null);
create index transactions_waiting_batches on transactions (application_id, batch_id, sequence)
  where status = 'PENDING_APPROVAL' and batch_id is not null;
create index transactions_waiting_by_name on transactions (lower(btrim(customer_name)), application_id) where status = 'PENDING_APPROVAL';

create table transfer_services (
  application_id  uuid    not null,
  operator        text    not null,
  type            text    not null,
  is_enabled      boolean not null default true,
  enforces_limits boolean not null default false,
  minimum_minor   bigint,
  maximum_minor   bigint,
  constraint transfer_services_pkey primary key (application_id, operator, type),
  constraint transfer_services_application_id_fkey foreign key (application_id) references applications(application_id),
  constraint transfer_services_check check (maximum_minor >= minimum_minor),
  constraint transfer_services_minimum_minor_check check (minimum_minor > 0),
  constraint transfer_services_type_check check (type in ('COLLECT', 'DEPOSIT'))
);
create trigger note_delete after delete on transfer_services
  referencing old table as changed_rows for each statement execute function note_application_change();
create trigger note_insert after insert on transfer_services
  referencing new table as changed_rows for each statement execute function note_application_change();
create trigger note_update after update on transfer_services
  referencing new table as changed_rows for each statement execute function note_application_change();

create table webhook_attempts (
  application_id uuid        not null,
  transaction_id uuid        not null,
  number         smallint    not null,
  started_at     timestamptz not null,
  duration_ms    integer     not null,
  outcome        text        not null,
  http_status    integer,
  detail         text,
  waited_ms      integer,
  first_byte_ms  integer,
  response_start text,
  constraint webhook_attempts_pkey primary key (application_id, transaction_id, number),
  constraint webhook_attempts_first_byte_ms_check check (first_byte_ms >= 0),
  constraint webhook_attempts_waited_ms_check check (waited_ms >= 0)
);
create index webhook_attempts_by_time on webhook_attempts using brin (started_at) with (autosummarize='on');
create index webhook_attempts_failed on webhook_attempts (application_id, outcome, transaction_id) where outcome <> 'delivered';

create table webhook_deliveries (
  application_id uuid        not null,
  transaction_id uuid        not null,
  target         text        not null,
  state          text        not null default 'due',
  attempts       smallint    not null default 0,
  next_at        timestamptz not null,
  created_at     timestamptz not null,
  finished_at    timestamptz,
  claimed_until  timestamptz,
  constraint webhook_deliveries_pkey primary key (application_id, transaction_id),
  constraint webhook_deliveries_attempts_check check (attempts >= 0 and attempts <= 4),
  constraint webhook_deliveries_state_check check (state in ('due', 'delivered', 'exhausted'))
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000, autovacuum_analyze_scale_factor = 0.05, fillfactor = 70);
create index webhook_deliveries_by_finish on webhook_deliveries using brin (finished_at) with (pages_per_range='32', autosummarize='on');
create index webhook_deliveries_by_time on webhook_deliveries (next_at) where state = 'due';
create index webhook_deliveries_due on webhook_deliveries (target, next_at) where state = 'due';
create index webhook_deliveries_exhausted on webhook_deliveries (application_id, finished_at) where state = 'exhausted';
create index webhook_deliveries_given_up on webhook_deliveries (application_id, transaction_id) where state = 'exhausted';
create index webhook_deliveries_waiting on webhook_deliveries (application_id, transaction_id) where state = 'due';

create table webhook_recoveries (
  application_id     uuid        not null,
  recovery_id        uuid        not null,
  since              timestamptz not null,
  until              timestamptz not null,
  includes_delivered boolean     not null,
  requested_by       uuid        not null,
  requested_at       timestamptz not null default now(),
  counted            integer     not null,
  cursor_at          timestamptz not null,
  cursor_id          uuid        not null,
  resent             integer     not null default 0,
  ended_at           timestamptz,
  stopped_by         uuid,
  constraint webhook_recoveries_pkey primary key (application_id, recovery_id),
  constraint webhook_recoveries_check check (until > since),
  constraint webhook_recoveries_counted_check check (counted > 0)
);
create unique index webhook_recoveries_open on webhook_recoveries (application_id) where ended_at is null;

create table webhook_resends (
  application_id uuid        not null,
  transaction_id uuid        not null,
  number         integer     not null,
  target         text        not null,
  requested_by   uuid        not null,
  requested_at   timestamptz not null,
  next_at        timestamptz not null,
  claims         smallint    not null default 0,
  started_at     timestamptz,
  duration_ms    integer,
  outcome        text,
  http_status    integer,
  detail         text,
  waited_ms      integer,
  first_byte_ms  integer,
  response_start text,
  constraint webhook_resends_pkey primary key (application_id, transaction_id, number),
  constraint webhook_resends_check check ((outcome is null) = (started_at is null) and (outcome is null) = (duration_ms is null)),
  constraint webhook_resends_claims_check check (claims >= 0 and claims <= 4),
  constraint webhook_resends_first_byte_ms_check check (first_byte_ms >= 0),
  constraint webhook_resends_number_check check (number > 0),
  constraint webhook_resends_waited_ms_check check (waited_ms >= 0)
);
create index webhook_resends_due on webhook_resends (target, next_at) where outcome is null;
create unique index webhook_resends_waiting on webhook_resends (application_id, transaction_id) where outcome is null;

create table webhook_secrets (
  application_id    uuid        not null,
  webhook_secret_id uuid        not null,
  secret            text        not null,
  created_at        timestamptz not null default now(),
  expires_at        timestamptz,
  constraint webhook_secrets_pkey primary key (application_id, webhook_secret_id),
  constraint webhook_secrets_application_id_fkey foreign key (application_id) references applications(application_id)
);
create trigger note_delete after delete on webhook_secrets
  referencing old table as changed_rows for each statement execute function note_application_change();
create trigger note_insert after insert on webhook_secrets
  referencing new table as changed_rows for each statement execute function note_application_change();
create trigger note_update after update on webhook_secrets
  referencing new table as changed_rows for each statement execute function note_application_change();

create table webhook_tests (
  application_id uuid        not null,
  test_id        uuid        not null,
  url            text        not null,
  requested_by   uuid        not null,
  requested_at   timestamptz not null default now(),
  duration_ms    integer,
  first_byte_ms  integer,
  outcome        text,
  http_status    integer,
  detail         text,
  response_start text,
  constraint webhook_tests_pkey primary key (application_id, test_id)
);
create index webhook_tests_by_time on webhook_tests (application_id, requested_at desc);

create view ledger_entries as
 select p.application_id,
    p.subject_id,
    p.kind,
    p.operator,
    p.currency,
    e.account,
    e.amount_minor,
    p.at
   from ledger_postings p
     cross join lateral ( values ('collect',p.collect_minor), ('deposit',p.deposit_minor), ('held',p.held_minor), ('fees',p.fees_minor), ('clearing',p.clearing_minor), ('revenue',p.revenue_minor)) e(account, amount_minor)
  where e.amount_minor <> 0;

create view ledger_movements as
 select application_id,
    operator,
    at,
    (at at time zone 'UTC')::date as day,
    collect_minor,
    deposit_minor,
    held_minor,
        case
            when kind = 'settle' and clearing_minor < 0 then - clearing_minor
            else 0::bigint
        end as collected_minor,
        case
            when kind = 'settle' and clearing_minor > 0 then clearing_minor
            else 0::bigint
        end as paid_minor,
        case
            when kind = 'settle' then fees_minor + revenue_minor
            else 0::bigint
        end as fees_minor,
        case
            when kind = 'fund' then deposit_minor
            else 0::bigint
        end as funded_minor,
        case
            when kind = 'correct' then collect_minor + deposit_minor + held_minor
            else 0::bigint
        end as corrected_minor,
        case
            when kind = 'hold' then held_minor
            else 0::bigint
        end as placed_minor,
        case
            when kind = 'release' then - held_minor
            else 0::bigint
        end as released_minor
   from ledger_postings p;

-- function add_fee_days(p_application uuid, p_limit bigint)
--   returns bigint
--   plpgsql, volatile: server/reports/sql/add-fee-days.sql
-- function add_fee_month()
--   returns trigger
--   plpgsql, volatile: server/reports/sql/add-fee-month.sql
-- function add_ledger_days(p_application uuid, p_from timestamptz, p_until timestamptz)
--   returns void
--   plpgsql, volatile: server/ledger/sql/add-ledger-days.sql
-- function add_ledger_edges(p_application uuid, p_time_zone text, p_from timestamptz, p_until timestamptz)
--   returns void
--   plpgsql, volatile: server/ledger/sql/add-ledger-edges.sql
-- function add_operator_outcomes(p_application uuid, p_limit bigint, p_since timestamptz, p_messages text[], p_causes text[])
--   returns bigint
--   plpgsql, volatile: server/reports/sql/add-operator-outcomes.sql
-- function apply_transitions(p_application_ids uuid[], p_items json)
--   returns table(item_index integer, is_moved boolean, status text, version integer)
--   plpgsql, volatile: server/transactions/sql/apply-transitions.sql
-- function approval_band_among(p_bands jsonb, p_amount_minor bigint, p_batch_minor bigint, p_day_minor bigint, p_is_first boolean)
--   returns jsonb
--   sql, immutable: server/transactions/sql/approval-band-among.sql
-- function approval_band_for(p_application uuid, p_type text, p_maker uuid, p_source text, p_phones text[], p_amount_minor bigint, p_batch_minor bigint, p_earlier_minor bigint, p_bands jsonb, p_at timestamptz)
--   returns jsonb
--   plpgsql, stable: server/transactions/sql/approval-band-for.sql
-- function assert_balances_moved(p_actual bigint, p_expected bigint)
--   returns boolean
--   plpgsql, stable: server/transactions/sql/assert-balances-moved.sql
-- function assert_same_count(p_actual bigint, p_expected bigint)
--   returns boolean
--   plpgsql, stable: server/transactions/sql/assert-same-count.sql
-- function batch_run_state_of(p_application uuid, p_transaction uuid)
--   returns text
--   sql, volatile: server/operators/sql/batch-run-state-of.sql
-- function begin_day_zone(p_application uuid, p_time_zone text)
--   returns boolean
--   plpgsql, volatile: server/reports/sql/begin-day-zone.sql
-- function claim_contradiction_queries(p_operators text[], p_per_operator integer, p_pause_ms integer)
--   returns table(application_id uuid, transaction_id uuid, kind text, operator text, tries integer, type text, operator_reference text, operator_token text, amount_minor bigint, currency text, phone_number text)
--   plpgsql, volatile: server/operators/sql/claim-contradiction-queries.sql
-- function claim_operator_work(p_items json)
--   returns table(application_id uuid, transaction_id uuid, operator text, found_state text, number integer, submissions integer, queries integer, is_repeated boolean, route text, operator_reference text, operator_token text, type text, currency text, amount_minor bigint, phone_number text, customer_name text, result text, result_reason text, result_code text, last_answer text)
--   plpgsql, volatile: server/operators/sql/claim-operator-work.sql
-- function claim_webhooks(p_items json, p_free jsonb, p_suspects jsonb)
--   returns table(next_cursor text, is_walk_complete boolean, next_due_ms integer, claimed_at timestamptz, webhooks json)
--   plpgsql, volatile: server/webhooks/sql/claim-webhooks.sql
-- function count_day_edges(p_application uuid, p_time_zone text, p_limit bigint)
--   returns bigint
--   plpgsql, volatile: server/reports/sql/count-day-edges.sql
-- function count_ledger_edges(p_application uuid, p_time_zone text)
--   returns void
--   plpgsql, volatile: server/ledger/sql/count-ledger-edges.sql
-- function fund_in_order(balance_minor bigint, holds bigint[])
--   returns boolean[]
--   plpgsql, immutable: server/transactions/sql/fund-in-order.sql
-- function give_application_slug()
--   returns trigger
--   plpgsql, volatile: server/applications/sql/give-application-slug.sql
-- function hint_gap_ms(p_gap_ms integer, p_hints integer)
--   returns integer
--   sql, immutable: server/operators/sql/hint-gap-ms.sql
-- function is_asked_about(p_application_id uuid, p_transaction_id uuid)
--   returns boolean
--   sql, stable: server/operators/sql/is-asked-about.sql
-- function is_checker(p_application uuid, p_person uuid)
--   returns boolean
--   sql, stable: server/approvals/sql/is-checker.sql
-- function is_contradicted(p_application_id uuid, p_transaction_id uuid)
--   returns boolean
--   sql, stable: server/operators/sql/is-contradicted.sql
-- function is_same_request(p_stored transactions, p_type text, p_operator text, p_customer_name text, p_phone_number text, p_amount_minor bigint, p_webhook_url text, p_source text)
--   returns boolean
--   sql, immutable: server/transactions/sql/is-same-request.sql
-- function list_batch_decisions(p_application uuid, p_batch uuid)
--   returns table(checker_id uuid, decided_at timestamptz)
--   sql, stable: server/approvals/sql/list-batch-decisions.sql
-- function list_operator_references(p_application uuid, p_limit bigint)
--   returns bigint
--   plpgsql, volatile: server/operators/sql/list-operator-references.sql
-- function may_approve_now(p_application uuid, p_person uuid, p_maker uuid)
--   returns boolean
--   sql, stable: server/approvals/sql/may-approve-now.sql
-- function may_have_left(p_application uuid, p_transaction uuid, p_submissions integer)
--   returns boolean
--   sql, volatile: server/operators/sql/may-have-left.sql
-- function note_application_change()
--   returns trigger
--   plpgsql, volatile: server/applications/sql/note-application-change.sql
-- function posting_amounts(p_kind text, p_type text, p_amount_minor bigint, p_fee_system_minor bigint, p_fee_app_minor bigint)
--   returns table(collect_minor bigint, deposit_minor bigint, held_minor bigint, fees_minor bigint, clearing_minor bigint, revenue_minor bigint)
--   sql, immutable: server/ledger/sql/posting-amounts.sql
-- function rebuild_ledger_days(p_application uuid)
--   returns void
--   plpgsql, volatile: server/ledger/sql/rebuild-ledger-days.sql
-- function recent_webhook_targets(p_targets text[], p_at timestamptz, p_recent_ms integer)
--   returns text[]
--   plpgsql, stable: server/webhooks/sql/recent-webhook-targets.sql
-- function record_webhook_outcomes(p_items json, p_gaps_ms integer[])
--   returns void
--   plpgsql, volatile: server/webhooks/sql/record-webhook-outcomes.sql
-- function refuse_change()
--   returns trigger
--   plpgsql, volatile: server/database/sql/refuse-change.sql
-- function return_webhooks(p_items json)
--   returns void
--   plpgsql, volatile: server/webhooks/sql/return-webhooks.sql
-- function schedule_second_looks(p_limit integer, p_spread_ms integer)
--   returns bigint
--   plpgsql, volatile: server/operators/sql/schedule-second-looks.sql
-- function seal_ledger_days(p_margin interval)
--   returns timestamptz
--   plpgsql, volatile: server/ledger/sql/seal-ledger-days.sql
-- function seal_operator_months()
--   returns void
--   plpgsql, volatile: server/reports/sql/seal-operator-months.sql
-- function seal_transaction_days()
--   returns void
--   plpgsql, volatile: server/reports/sql/seal-transaction-days.sql
-- function slug_of(name text)
--   returns text
--   sql, immutable: server/applications/sql/slug-of.sql
-- function start_transactions(p_application_ids uuid[], p_items json, p_has_bands boolean)
--   returns table(item_index integer, outcome text, transaction_id uuid, status text, amount_minor bigint, fee_system_minor bigint, fee_app_minor bigint, pay_token text)
--   plpgsql, volatile: server/transactions/sql/start-transactions.sql
-- function start_webhook_attempts(p_applications uuid[], p_transactions uuid[], p_resends integer[], p_at timestamptz, p_lease_ms integer, p_gaps_ms integer[])
--   returns table(application_id uuid, transaction_id uuid, resend_number integer, number integer, target text, url text, external_id text, status text, amount_minor text, phone_number text, operator text, message text, final_at text, due_at text)
--   plpgsql, volatile: server/webhooks/sql/start-webhook-attempts.sql
-- function store_forced_queries(p_items json)
--   returns void
--   plpgsql, volatile: server/operators/sql/store-forced-queries.sql
-- function store_operator_answers(p_items json, p_absence_ms integer, p_accepted_absence_ms integer, p_hint_gap_ms integer)
--   returns table(item_index integer)
--   plpgsql, volatile: server/operators/sql/store-operator-answers.sql
-- function store_operator_callbacks(p_items json, p_gap_ms integer)
--   returns table(item_index integer, is_taken boolean)
--   plpgsql, volatile: server/operators/sql/store-operator-callbacks.sql
-- function store_operator_contradictions(p_items json)
--   returns table(item_index integer, is_new boolean)
--   plpgsql, volatile: server/operators/sql/store-operator-contradictions.sql
-- function take_webhooks_with_resends(p_target text, p_at timestamptz, p_take integer)
--   returns table(applications uuid[], transactions uuid[], resends integer[])
--   plpgsql, volatile: server/webhooks/sql/take-webhooks-with-resends.sql
-- function total_between(p_application uuid, p_status text, p_start date, p_end date)
--   returns numeric
--   sql, stable: server/reports/sql/total-between.sql
-- function webhook_receiver(target text)
--   returns text
--   sql, immutable: only in migrations/
-- function webhook_resend_targets()
--   returns text[]
--   sql, stable: server/webhooks/sql/webhook-resend-targets.sql
