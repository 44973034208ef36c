-- The work at the mobile-money operators: submit once, query until the outcome is known, and never pay twice.

-- Open work at an operator for a PENDING transaction; recording the result deletes the row. A lease lets any process continue what
-- a dead one left.
create table operator_work (
  application_id uuid not null,
  transaction_id uuid not null,
  operator text not null,
  type text not null check (type in ('COLLECT', 'DEPOSIT')),
  -- queued: to be submitted. paused: queued, but its batch is paused; next_at is infinity. awaiting_code: nothing is sent before the customer
  -- has entered a code. unfunded: the balance does not cover it, to be failed. submitting, submitted, unconfirmed: the operator may have it.
  state text not null check (state in ('queued', 'paused', 'unfunded', 'awaiting_code', 'submitting', 'submitted', 'unconfirmed')),
  -- The predicate of a partial index counts as an indexed column. With the state in it, each accepted submission would write all index
  -- entries of the row; the phase changes less often.
  phase text generated always as (case when state in ('queued', 'paused', 'awaiting_code') then state else 'begun' end) stored,
  next_at timestamptz not null,
  -- The lease is not in next_at, which is in an index: a claim changes the row in its page.
  is_claimed boolean not null default false,
  claimed_at timestamptz,
  claimed_until timestamptz,
  -- Every call of the operator is an attempt; submissions and queries are counted apart. submit_number is the attempt that submitted last.
  attempts integer not null default 0,
  submissions integer not null default 0,
  queries integer not null default 0,
  submit_number integer,
  -- The protocol and the operator's environment of the last submission: one that another environment does not know was not refused.
  route text,
  -- The pause that an operator requires from a submission to the first query. Until then a denial does not count.
  enquire_at timestamptz,
  operator_reference text,
  operator_reference_other text,
  operator_token text,
  -- Since when the operator is known to have the transfer. Such a row is not sent again without a person's decision.
  accepted_at timestamptz,
  unconfirmed_since timestamptz,
  -- Since when the operator has denied that it knows the reference.
  absent_since timestamptz,
  -- A callback arrived and no query has followed it yet.
  hinted_at timestamptz,
  -- Unsigned callbacks that made queries due since the last signed one. Anybody can send them, so each waits longer than the one before.
  hints smallint not null default 0,
  last_answer text,
  -- The submission that the operator accepted. No other can follow it, so it is stored among the attempts together with what ends the work.
  submit_started_at timestamptz,
  submit_finished_at timestamptz,
  submit_http_status integer,
  submit_answer text,
  -- The final result of a submission, until it is settled: an operator that refuses may keep no trace that a query would find after a restart.
  -- refused: a repeated submission was refused, which is the result once the operator denies that it knows the reference.
  result text check (result in ('succeeded', 'failed', 'refused')),
  result_reason text,
  result_code text,
  -- Where the customer of a collect has to go before the operator moves the money.
  customer_link text,
  -- The code, encrypted, from its entry to the submission that sends it; until when the customer may enter one; how many were refused.
  customer_code text,
  code_until timestamptz,
  refused_codes integer not null default 0,
  -- Sandbox only: a tester opened the page of this payment, so the simulated customer leaves it to them.
  page_opened_at timestamptz,
  primary key (application_id, transaction_id),
  constraint operator_work_accepted_stays check (state not in ('queued', 'paused', 'awaiting_code') or accepted_at is null)
-- A row lives for seconds and changes several times: room in its page, and early vacuums.
) with (fillfactor = 30, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);
-- Claimed operator by operator, so that the queue of one that hangs costs the others nothing; submissions also by direction, so that one
-- direction can be held back.
create index operator_work_waiting on operator_work (operator, type, next_at) where phase = 'queued';
create index operator_work_begun on operator_work (operator, next_at) where phase <> 'queued';
create index operator_work_paused on operator_work (application_id, transaction_id) where phase = 'paused';
create index operator_work_awaiting_code on operator_work (code_until) where phase = 'awaiting_code';
-- Money of unknown outcome, by age.
create index operator_work_unconfirmed on operator_work (application_id, unconfirmed_since) where unconfirmed_since is not null;

-- Each call of an operator and each callback, written once, when its outcome is known. Nearly every payment has one submission, which a callback
-- and the query after it end: these three are one row, that of the submission. all_operator_attempts lists each apart.
create table operator_attempts (
  application_id uuid not null,
  transaction_id uuid not null,
  number integer not null,
  kind text not null check (kind in ('submit', 'query', 'callback')),
  started_at timestamptz not null,
  finished_at timestamptz,
  outcome text,
  http_status integer,
  answer text,
  -- False for a callback without a signature, which is a hint and proves nothing.
  is_verified boolean,
  -- The callback and the query that ended the work, in the row of its last submission.
  callback_number integer,
  callback_at timestamptz,
  callback_outcome text,
  callback_answer text,
  callback_is_verified boolean,
  query_number integer,
  query_started_at timestamptz,
  query_finished_at timestamptz,
  query_outcome text,
  query_http_status integer,
  query_answer text,
  primary key (application_id, transaction_id, number)
);

-- Every call and callback. What is recorded again under its number, because nobody knew that it had been stored, has a row of its own, which is listed
-- instead.
create view all_operator_attempts as
  select application_id, transaction_id, number, kind, started_at, finished_at, outcome, http_status, answer, is_verified from operator_attempts
  union all
  select s.application_id, s.transaction_id, s.callback_number, 'callback', s.callback_at, s.callback_at, s.callback_outcome, null, s.callback_answer,
         s.callback_is_verified
    from operator_attempts s where s.callback_number is not null and not exists (select from operator_attempts a
      where a.application_id = s.application_id and a.transaction_id = s.transaction_id and a.number = s.callback_number)
  union all
  select s.application_id, s.transaction_id, s.query_number, 'query', s.query_started_at, s.query_finished_at, s.query_outcome, s.query_http_status,
         s.query_answer, null
    from operator_attempts s where s.query_number is not null and not exists (select from operator_attempts a
      where a.application_id = s.application_id and a.transaction_id = s.transaction_id and a.number = s.query_number)
  union all
  select application_id, transaction_id, submit_number, 'submit', submit_started_at, submit_finished_at, 'accepted', submit_http_status,
         submit_answer, null
    from operator_work where submit_finished_at is not null;

-- A customer's codes are short, so wrong ones are counted by operator and number over all applications, and one payment at a time asks for a
-- code: `transaction_id`, until `held_until`.
create table customer_code_numbers (
  operator text not null,
  phone_number text not null,
  transaction_id uuid not null,
  held_until timestamptz not null,
  -- The refusals of the last day.
  refused_at timestamptz[] not null default '{}',
  primary key (operator, phone_number)
);

-- How this installation reaches each operator. The document contains credentials, so all of it is encrypted. It has an id of its own because
-- encrypted columns are found by UUIDs.
create table operator_settings (
  operator_settings_id uuid primary key,
  operator text not null,
  protocol text not null,
  document text not null,
  version bigint not null check (version > 0),
  changed_at timestamptz not null default now(),
  -- The settings that these replaced, and until when one administrator may return to it. Null with a time: there were none.
  previous_document text,
  return_until timestamptz,
  unique (operator, protocol),
  constraint operator_settings_previous check (previous_document is null or return_until is not null)
);

-- Access tokens that operators issued, shared by all processes. Until `renewing_until` one process fetches the next token.
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

-- Every check of a customer's account at an operator, for 24 hours: a row is inserted before the operator is asked, so that a crash counts too, and
-- answered afterwards. The limits count the rows, and each application reads its own answers only: what one asked tells another nothing.
create table account_checks (
  application_id uuid not null references applications,
  account_check_id uuid not null,
  operator text not null,
  phone_number text not null,
  asked_by_kind text not null check (asked_by_kind in ('person', 'api')),
  asked_by uuid not null,
  asked_at timestamptz not null,
  -- The file whose rows are checked; null: one account that somebody typed or a program sent.
  batch_id uuid,
  -- Null until the operator has answered.
  answer text check (answer in ('active', 'not_registered', 'barred', 'unknown')),
  -- Encrypted, and masked before that: the first word and initials.
  holder_name text,
  primary key (application_id, account_check_id),
  constraint only_active_accounts_have_names check (holder_name is null or answer = 'active')
);
create index account_checks_by_time on account_checks (application_id, asked_at);
create index account_checks_by_number on account_checks (application_id, phone_number, asked_at);

-- Whether submissions reach each operator, per direction. A fault of ours, such as a wrong PIN, would fail every submission and could lock the
-- operator's account: the direction stays closed in all processes as long as the settings are the ones that had the fault.
create table operator_circuits (
  operator text not null,
  type text not null check (type in ('COLLECT', 'DEPOSIT')),
  state text not null check (state in ('OPERATIONAL', 'DELAYED', 'CLOSED')),
  since timestamptz not null,
  fault text,
  fault_version text,
  primary key (operator, type),
  constraint operator_circuits_fault_check check (fault is null or state = 'CLOSED' and fault_version is not null)
);

-- Every change of a circuit, for as long as the pages look back.
create table operator_availability (
  operator text not null,
  type text not null check (type in ('COLLECT', 'DEPOSIT')),
  since timestamptz not null,
  state text not null check (state in ('OPERATIONAL', 'DELAYED', 'CLOSED')),
  primary key (operator, type, since)
);

-- Our balance as the operator reports it, beside what the ledger says. `differs_since` is null while they are equal, and `unexplained_since` while
-- payments in progress and the wallet book explain the difference.
create table operator_balances (
  operator text primary key,
  collect_minor bigint,
  deposit_minor bigint,
  ledger_minor bigint not null,
  difference_minor bigint,
  checked_at timestamptz not null,
  differs_since timestamptz,
  unexplained_minor bigint,
  unexplained_since timestamptz
);

-- Whether our account for payouts at an operator covers the deposits that wait (take_float). `available_minor` is the reported balance less the
-- deposits that were in progress when it was asked for; `sent_before_minor` the sum of operator_float_sent then. Deposits wait since
-- `waits_since`, for lack of `missing_minor` (null: the operator refused one, and nobody knows), and are tried again at `try_at`.
create table operator_floats (
  operator text primary key,
  reported_minor bigint,
  available_minor bigint,
  sent_before_minor bigint not null default 0,
  reported_at timestamptz,
  floor_minor bigint not null default 0 check (floor_minor >= 0),
  waits_since timestamptz,
  missing_minor bigint,
  try_at timestamptz,
  -- The operator refused a deposit because our account is short. Until it reports more than `refused_at_minor`, the
  -- least that it has reported since just before, or a person knows better, nothing is sent: the reference of a refused deposit is spent, so that a second one would be lost too.
  is_refused boolean not null default false,
  refused_at_minor bigint,
  constraint operator_floats_report_check check (num_nulls(reported_minor, available_minor, reported_at) in (0, 3)),
  constraint operator_floats_wait_check check (waits_since is not null or missing_minor is null and try_at is null and not is_refused)
);

-- The amounts of all deposits that were ever claimed to be sent; only differences of the sum mean anything. In slots, so that concurrent claims
-- do not wait for each other.
create table operator_float_sent (
  operator text not null,
  slot smallint not null,
  sent_minor bigint not null,
  primary key (operator, slot)
) with (fillfactor = 50);

-- An operator's statement against a final result. The result never changes: people read these rows and talk to the operator.
create table operator_contradictions (
  application_id uuid not null,
  transaction_id uuid not null,
  -- 1: the contradiction. From 2: the operator's answers when it was queried about it.
  number smallint not null check (number between 1 and 9),
  -- A hint is an unsigned callback that the operator could neither confirm nor deny.
  source text not null check (source in ('callback', 'hint', 'submit', 'query')),
  said text not null check (said in ('succeeded', 'failed', 'pending', 'not_found', 'unknown')),
  stored_status text not null check (stored_status in ('SUCCESS', 'FAILED')),
  http_status integer,
  answer text not null,
  at timestamptz not null,
  primary key (application_id, transaction_id, number)
);
create index operator_contradictions_newest on operator_contradictions (application_id, at) where number = 1;
create trigger refuse_change before update or delete on operator_contradictions for each row execute function refuse_change();
create trigger refuse_truncate before truncate on operator_contradictions for each statement execute function refuse_change();
alter table operator_contradictions enable always trigger refuse_change;
alter table operator_contradictions enable always trigger refuse_truncate;

-- Queries about payments that have ended. contradiction: the operator reported the other result. hint: an unsigned callback did. hour_look,
-- day_look: the payment failed an hour or a day ago, and a failure may have been reported too early.
create table contradiction_queries (
  application_id uuid not null,
  transaction_id uuid not null,
  kind text not null check (kind in ('contradiction', 'hint', 'hour_look', 'day_look')),
  operator text not null,
  tries smallint not null default 0,
  next_at timestamptz not null,
  -- The statement of a hint's callback, and its text: the only copy.
  said text,
  answer text,
  -- A hint stays for a day after its end, so that another one about the same payment causes no query.
  ended_at timestamptz,
  primary key (application_id, transaction_id, kind)
);
create index contradiction_queries_due on contradiction_queries (operator, application_id, kind, next_at) where ended_at is null;
create index contradiction_queries_ended on contradiction_queries (ended_at) where ended_at is not null;

-- The failure, by final sequence, up to which an application's second looks are scheduled.
create table second_look_marks (
  application_id uuid primary key,
  failed_sequence bigint not null
);

-- The operators' references of final transactions, both where there are two, for the search, and to find a reference that two transactions have. A scheduled task fills
-- it, so that settling writes no further index.
create table operator_references (
  application_id uuid not null,
  operator_reference text not null,
  transaction_id uuid not null,
  operator text not null,
  type text not null,
  primary key (application_id, operator_reference, transaction_id)
);
-- An account at an operator belongs to the installation, so references are looked up over all applications. Not unique: a repeated reference
-- must not stop money that has moved.
create index operator_references_by_operator on operator_references (operator, type, operator_reference);

-- The operators' own pay tokens of final transactions, for the search, filled by the same task: an index of transactions on what a result brings
-- would have each result write all index entries of the row.
create table operator_tokens (
  application_id uuid not null,
  operator_token text not null,
  transaction_id uuid not null,
  primary key (application_id, operator_token, transaction_id)
);

-- The final sequences up to which an application's references are in operator_references, and its tokens in operator_tokens.
create table operator_reference_marks (
  application_id uuid primary key,
  success_until bigint not null,
  failed_until bigint not null
);

-- Transactions whose reference another transaction of the same operator and direction has too.
create table shared_operator_references (
  application_id uuid not null,
  transaction_id uuid not null,
  operator text not null,
  type text not null,
  operator_reference text not null,
  other_application_id uuid not null,
  other_transaction_id uuid not null,
  at timestamptz not null default clock_timestamp(),
  primary key (application_id, transaction_id)
);
create index shared_operator_references_newest on shared_operator_references (application_id, at);
create trigger refuse_change before update or delete on shared_operator_references for each row execute function refuse_change();
create trigger refuse_truncate before truncate on shared_operator_references for each statement execute function refuse_change();
alter table shared_operator_references enable always trigger refuse_change;
alter table shared_operator_references enable always trigger refuse_truncate;

-- How the transactions submitted in each hour ended, and how long that took: bucket n is 1.2^n to 1.2^(n+1) milliseconds.
create table operator_outcomes (
  application_id uuid not null,
  operator text not null,
  type text not null,
  hour timestamptz not null,
  outcome text not null,
  bucket smallint not null,
  transaction_count bigint not null,
  primary key (application_id, operator, hour, type, outcome, bucket)
);

-- The money that succeeded deposits took from our accounts at an operator and collects brought, of all applications, by the hour of their submission.
create table operator_flows (
  operator text not null,
  hour timestamptz not null,
  out_minor bigint not null,
  in_minor bigint not null,
  primary key (operator, hour)
);

-- The final sequences up to which an application's outcomes are counted.
create table operator_outcome_marks (
  application_id uuid primary key,
  success_until bigint not null,
  failed_until bigint not null
);
