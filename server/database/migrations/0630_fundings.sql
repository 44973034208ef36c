-- Money that enters a deposit balance, moves from collect to deposit, or is corrected: one person proposes it, another confirms it.
create table fundings (
  application_id uuid not null references applications (application_id),
  funding_id uuid not null,
  kind text not null check (kind in ('pay_in', 'move', 'correction')),
  operator text not null,
  currency text not null,
  -- The balance that rises or falls. A move takes the same amount from the collect balance.
  account text not null check (account in ('collect', 'deposit')),
  -- Hundredths; below zero only for a correction that takes money away.
  amount_minor bigint not null check (amount_minor <> 0),
  reference text not null check (length(reference) between 1 and 100),
  -- The reference without spaces, punctuation and letter case: two spellings of one bank transfer are one.
  reference_key text not null check (reference_key <> ''),
  note text not null default '' check (length(note) <= 500),
  -- Of a file that is stored elsewhere: a person who has the file can show that it is this one.
  attachment_name text check (length(attachment_name) between 1 and 200),
  attachment_sha256 bytea check (length(attachment_sha256) = 32),
  proposed_by uuid not null references people (person_id),
  proposed_at timestamptz not null default now(),
  expires_at timestamptz not null,
  outcome text check (outcome in ('confirmed', 'refused', 'withdrawn')),
  decided_by uuid references people (person_id),
  decided_at timestamptz,
  reason text not null default '' check (length(reason) <= 500),
  -- Both balances before and after, when it was confirmed.
  collect_before_minor bigint,
  collect_after_minor bigint,
  deposit_before_minor bigint,
  deposit_after_minor bigint,
  primary key (application_id, funding_id),
  constraint only_corrections_take_away check (amount_minor > 0 or kind = 'correction'),
  constraint only_corrections_choose_the_balance check (account = 'deposit' or kind = 'correction'),
  constraint file_has_name_and_digest check ((attachment_name is null) = (attachment_sha256 is null)),
  constraint only_moves_have_no_file check (attachment_sha256 is not null or kind = 'move'),
  constraint funding_is_decided_by_somebody check ((outcome is null) = (decided_by is null) and (outcome is null) = (decided_at is null)),
  -- Nobody confirms their own funding; withdrawing it is the one thing that only they can do.
  constraint two_people_move_money check (outcome is null or (outcome = 'withdrawn') = (decided_by = proposed_by)),
  constraint confirmed_has_balances check ((outcome is not distinct from 'confirmed')
    = (num_nulls(collect_before_minor, collect_after_minor, deposit_before_minor, deposit_after_minor) = 0))
);

-- The list of an application, newest first.
create index fundings_by_time on fundings (application_id, proposed_at desc, funding_id);
-- What waits, and what was confirmed, with this reference. No bank transfer is booked twice.
create index fundings_by_reference on fundings (application_id, kind, reference_key);
create unique index fundings_booked_once on fundings (application_id, kind, reference_key) where outcome = 'confirmed';

-- `move`: from the collect balance to the deposit balance. Rows that exist fit, because the constraint before allowed less; reading all of them
-- to prove it would stop every payment for as long.
alter table ledger_postings drop constraint ledger_postings_kind_check;
alter table ledger_postings add constraint ledger_postings_kind_check
  check (kind in ('hold', 'release', 'settle', 'fund', 'move', 'correct')) not valid;
