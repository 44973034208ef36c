-- Payments from a file: prepared by a maker, checked row by row, submitted as one batch. And batches of deposits that a program sends in one request.

-- A batch. Its transactions carry its id (transactions.batch_id).
create table batches (
  application_id uuid not null,
  batch_id uuid not null,
  name text not null check (name <> '' and length(name) <= 200),
  type text not null check (type in ('COLLECT', 'DEPOSIT')),
  -- The maker of its transactions. Before submission: the last person who changed it. Null for a batch of a program.
  maker_id uuid,
  created_by uuid,
  -- The API user of the program that made it; null for a batch of a person.
  api_user_id uuid,
  -- The program's own name of the batch: one request, sent any number of times, makes one batch.
  idempotency_key uuid,
  -- Receives the results of a program's rows. Those of a person's batch go to the application's default address.
  webhook_url text,
  -- Everybody who uploaded it, changed it or submitted it: none of them may decide on its rows.
  prepared_by uuid[] not null default '{}',
  file_name text not null,
  file_sha256 bytea not null,
  -- Digest of the payments (operator, number, amount, texts) of the rows that are or would be submitted, in their order; null before the first check.
  content_hash bytea,
  -- checking: stored, but nobody has said yet which column contains which field. draft: checked, can be changed. submitting: its rows are being started,
  -- and a worker continues after a crash. submitted: every row that was to be started is, and it can be decided.
  state text not null check (state in ('checking', 'draft', 'submitting', 'submitted', 'discarded')),
  row_count integer not null check (row_count between 0 and 10000),
  -- For a retry of failed transactions: the batch that they belong to.
  parent_batch_id uuid,
  -- How the file was read: encoding, separator, sheet, what was left out.
  reading jsonb not null default '{}',
  -- The texts of the header row; an empty array if the file has none.
  headers jsonb not null default '[]',
  -- Which column is which field: {"phoneNumber": 2, …}; null while it is not known.
  columns jsonb,
  -- The kinds of repair that were accepted.
  accepted_repairs text[] not null default '{}',
  -- For rows that name no operator.
  default_operator text,
  -- Rows that can be submitted, that have problems, that the maker excluded, and that were started.
  ready_count integer not null default 0,
  problem_count integer not null default 0,
  excluded_count integer not null default 0,
  started_count integer not null default 0,
  -- Of the rows that can be submitted, per operator: [{"operator", "currency", "count", "amountMinor", "feeMinor"}], amounts as text.
  sums jsonb not null default '[]',
  -- Raised by each change, so that two people who edit at the same time cannot overwrite each other.
  version integer not null default 1,
  -- Digest of the repair that made this version, so that the same one sent twice is answered; null after any other change.
  change_digest bytea check (octet_length(change_digest) = 32),
  -- The earlier batch with the same payments, and why they are sent again.
  repeats_batch_id uuid,
  repeat_reason text,
  -- Where its rows ended (count_batch_places); null until the last of them has.
  places jsonb,
  leased_until timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  changed_at timestamptz not null default clock_timestamp(),
  submitted_at timestamptz,
  primary key (application_id, batch_id),
  constraint a_person_or_a_program_made_it check (num_nulls(maker_id, created_by) = case when api_user_id is null then 0 else 2 end),
  constraint programs_name_their_batches check (num_nonnulls(api_user_id, idempotency_key, webhook_url) in (0, 3)),
  check ((state in ('submitting', 'submitted')) = (submitted_at is not null))
);
create unique index batches_by_key on batches (application_id, idempotency_key) where idempotency_key is not null;
create index batches_by_time on batches (application_id, created_at desc, batch_id);
create index batches_by_content on batches (application_id, content_hash) where submitted_at is not null;
-- For the rule of who may decide: few batches are prepared by several people.
create index batches_of_several_people on batches (application_id) where cardinality(prepared_by) > 1;
-- For the worker: few rows at any time.
create index batches_submitting on batches (leased_until) where state = 'submitting';
-- For the task that stores ends: few rows at any time.
create index batches_not_ended on batches (application_id, batch_id) where state = 'submitted' and places is null;

-- One row of the file.
create table batch_rows (
  application_id uuid not null,
  batch_id uuid not null,
  -- The number that the spreadsheet shows beside the row; the line of a CSV file.
  row_number integer not null,
  -- As read: a text each, or {"text", "kind"} for a number, date, formula or error of a spreadsheet.
  cells jsonb not null,
  -- The maker's corrections: {"phoneNumber": "237…"}.
  edits jsonb not null default '{}',
  operator text,
  phone_number text,
  -- Every form of the phone number, the present one first (lib/payments/phone-number.ts); null without a number.
  phone_forms text[],
  customer_name text,
  purpose text,
  amount_minor bigint,
  fee_minor bigint,
  -- Why it cannot be submitted: [{"field", "kind", …}]; an empty array if it can.
  problems jsonb not null default '[]',
  -- Repairs by rule, accepted or not: [{"field", "kind", "before", "after"}].
  repairs jsonb not null default '[]',
  -- For a person to look at: `notes` about the row alone, `warnings` from comparing it with other rows and earlier transactions.
  notes jsonb not null default '[]',
  warnings jsonb not null default '[]',
  -- Why the maker left it out; null if it was not left out.
  exclusion text,
  -- Chosen once and kept, so that a repeated submission starts no row twice.
  external_id uuid not null,
  -- The transaction that it started.
  transaction_id uuid,
  -- Why it could not be started although the batch was submitted.
  refusal text,
  primary key (application_id, batch_id, row_number)
);
create index batch_rows_by_phone on batch_rows (application_id, batch_id, (phone_forms[1]), row_number);
create index batch_rows_by_transaction on batch_rows (application_id, transaction_id) where transaction_id is not null;

-- The columns that a person assigned, by the digest of the header row, so that nobody has to assign them again for the next file.
create table batch_columns (
  application_id uuid not null,
  header_hash bytea not null,
  columns jsonb not null,
  changed_by uuid not null,
  changed_at timestamptz not null default clock_timestamp(),
  primary key (application_id, header_hash)
);

-- A person's last order to a batch while its rows are sent. A batch without a row here runs.
create table batch_runs (
  application_id uuid not null,
  batch_id uuid not null,
  -- paused: rows that the operator does not have wait. stopped: they end as FAILED.
  state text not null check (state in ('running', 'paused', 'stopped')),
  changed_by uuid not null,
  changed_at timestamptz not null default clock_timestamp(),
  reason text,
  -- The time before which its maker wants it not to be sent, chosen at the submission and changed by people since; null: none was chosen.
  release_at timestamptz,
  -- Whether the service sends it on at that time. False: a person has to.
  is_timed boolean not null default false,
  -- When the service did.
  released_at timestamptz,
  primary key (application_id, batch_id),
  check (not is_timed or state = 'paused' and release_at is not null)
);
-- For the task that sends them on: few rows at any time.
create index batch_runs_timed on batch_runs (release_at) where is_timed;

-- A failed transaction and the row of another batch that repeats it. The key allows one retry of each; if that fails, the retry is repeated.
create table batch_retries (
  application_id uuid not null,
  failed_transaction_id uuid not null,
  -- The batch of the failed transaction, and the row that repeats it.
  parent_batch_id uuid not null,
  batch_id uuid not null,
  row_number integer not null,
  external_id uuid not null,
  primary key (application_id, failed_transaction_id),
  constraint batch_retries_row unique (application_id, batch_id, row_number),
  constraint batch_retries_external_id unique (application_id, external_id)
);
create index batch_retries_by_parent on batch_retries (application_id, parent_batch_id);

-- Whether a batch repeats a failed transaction, or still can. A row that was left out of a submitted retry repeats nothing.
create function is_in_retry(p_application uuid, p_transaction uuid) returns boolean language sql stable
set search_path from current as $$
  select exists (select from batch_retries r join batches b on b.application_id = r.application_id and b.batch_id = r.batch_id
    where r.application_id = p_application and r.failed_transaction_id = p_transaction
      and (b.state in ('checking', 'draft', 'submitting') or b.state = 'submitted' and exists (select from batch_rows x
        where x.application_id = r.application_id and x.batch_id = r.batch_id and x.row_number = r.row_number and x.transaction_id is not null)))
$$;

-- A failed transaction is repeated by a batch or sent again by itself, never both: each insert waits for the other and then sees it.
create function refuse_second_repetition() returns trigger language plpgsql
set search_path from current as $$
begin
  perform pg_advisory_xact_lock(hashtext('countersign.repetition'), hashtext(new.application_id::text));
  if tg_table_name = 'transaction_origins' then
    if is_in_retry(new.application_id, new.origin_id) then
      raise exception 'a batch repeats it' using errcode = 'unique_violation', constraint = 'transaction_origins_origin';
    end if;
  elsif exists (select from transaction_origins o where o.application_id = new.application_id and o.origin_id = new.failed_transaction_id) then
    raise exception 'it was sent again' using errcode = 'unique_violation', constraint = 'batch_retries_pkey';
  end if;
  return new;
end $$;
create trigger refuse_second_repetition before insert on batch_retries for each row execute function refuse_second_repetition();
create trigger refuse_second_repetition before insert on transaction_origins for each row execute function refuse_second_repetition();
alter table batch_retries enable always trigger refuse_second_repetition;
alter table transaction_origins enable always trigger refuse_second_repetition;

-- Failed rows that a retry left out because they may have been paid.
create table batch_left_out (
  application_id uuid not null,
  batch_id uuid not null,
  failed_transaction_id uuid not null,
  -- contradicted: the operator reports another result. asked: it is being queried about that. unanswered: it did not confirm the failure when it
  -- was queried before the retry.
  reason text not null check (reason in ('contradicted', 'asked', 'unanswered')),
  primary key (application_id, batch_id, failed_transaction_id)
);
