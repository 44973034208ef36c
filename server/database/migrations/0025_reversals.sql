-- Reversals at operators: payments that two people have an operator take back.

-- A row is inserted when the second person confirms, in that transaction; the operator is called after it has committed.
create table operator_reversals (
  -- The payment and its application.
  application_id uuid not null,
  transaction_id uuid not null,
  -- The confirmed change, which belongs to the application that runs the installation. Where an operator takes a reference of the reversal, it is this.
  reversal_id uuid not null,
  change_application_id uuid not null,
  operator text not null,
  confirmed_by uuid not null,
  asked_at timestamptz not null default clock_timestamp(),
  state text not null default 'asked' check (state in ('asked', 'done', 'refused')),
  -- The operator has confirmed the payment, with these ids of its own. What is taken back is named by them from then on.
  is_found boolean not null default false,
  operator_reference text,
  operator_reference_other text,
  -- Calls that may have reached the operator. Each is counted and committed before it is written.
  calls integer not null default 0 check (calls >= 0),
  -- Claims of the row; only the latest stores an outcome.
  tries integer not null default 0,
  claimed_until timestamptz,
  -- Null while 'asked': it may have been carried out, and nothing is sent again. People say what the operator's statement shows.
  next_at timestamptz default clock_timestamp(),
  -- The newest answer.
  http_status integer,
  answer text,
  -- not_paid: the operator has no such payment, so nothing was sent. not_offered: its protocol takes nothing back. operator: it refused. people: two people
  -- found in its statement that it was not carried out.
  refusal text check (refusal in ('not_paid', 'not_offered', 'operator', 'people')),
  -- In the operator's words, or the evidence of people.
  reason text not null default '',
  ended_at timestamptz,
  primary key (application_id, transaction_id, reversal_id),
  constraint end_has_time check ((state = 'asked') = (ended_at is null)),
  constraint only_refusals_have_one check ((state = 'refused') = (refusal is not null)),
  constraint ended_is_not_due check (state = 'asked' or next_at is null),
  constraint nothing_is_sent_before_it_is_found check (calls = 0 or is_found)
);
-- A payment is taken back once.
create unique index operator_reversals_once on operator_reversals (application_id, transaction_id) where state <> 'refused';
create index operator_reversals_due on operator_reversals (next_at) where next_at is not null;
