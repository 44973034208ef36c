-- Proposals of one person that another confirms, outside transactions: money that enters a balance, and changes of people, access and terms.

-- Money that is paid into a deposit balance, moves there from the collect balance, or is corrected.
create table fundings (
  application_id uuid not null references applications,
  funding_id uuid not null,
  kind text not null check (kind in ('pay_in', 'move', 'correction')),
  operator text not null,
  currency text not null,
  -- The balance that rises or falls. A move takes the same amount from the collect balance.
  account text not null check (account in ('collect', 'deposit')),
  -- Below zero only for a correction that takes money away.
  amount_minor bigint not null check (amount_minor <> 0),
  reference text not null check (length(reference) between 1 and 100),
  -- The reference without spaces, punctuation and letter case: two spellings of one bank transfer are one.
  reference_key text not null check (reference_key <> ''),
  note text not null default '' check (length(note) <= 500),
  -- Of a file that is stored elsewhere: its holder can show that it is this one.
  attachment_name text check (length(attachment_name) between 1 and 200),
  attachment_sha256 bytea check (length(attachment_sha256) = 32),
  proposed_by uuid not null references people,
  proposed_at timestamptz not null default now(),
  expires_at timestamptz not null,
  outcome text check (outcome in ('confirmed', 'refused', 'withdrawn')),
  decided_by uuid references people,
  decided_at timestamptz,
  reason text not null default '' check (length(reason) <= 500),
  -- Both balances before and after the confirmation.
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
  -- Nobody confirms their own funding; only they can withdraw it.
  constraint two_people_move_money check (outcome is null or (outcome = 'withdrawn') = (decided_by = proposed_by)),
  constraint confirmed_has_balances check ((outcome is not distinct from 'confirmed')
    = (num_nulls(collect_before_minor, collect_after_minor, deposit_before_minor, deposit_after_minor) = 0))
);
create index fundings_by_time on fundings (application_id, proposed_at desc, funding_id);
-- References of waiting and confirmed fundings. No bank transfer is booked twice.
create index fundings_by_reference on fundings (application_id, kind, reference_key);
create unique index fundings_booked_once on fundings (application_id, kind, reference_key) where outcome = 'confirmed';

-- A change of people, access or terms. The effect of a confirmed one is in the tables that it changed and in the audit chain; its row says who
-- proposed it, what both people saw, and how it ended.
create table proposed_changes (
  application_id uuid not null references applications,
  change_id uuid not null,
  kind text not null,
  -- A person, an operator and a direction, a network.
  subject text not null,
  -- The input of the change. Never a secret.
  payload jsonb not null,
  -- Input that contains secrets, encrypted. Nothing of it is left once the change has ended.
  sealed_payload text,
  -- The state that both people saw. It is confirmed only while `before` is still true.
  before jsonb not null,
  after jsonb not null,
  proposed_by uuid not null references people,
  proposed_at timestamptz not null default now(),
  expires_at timestamptz not null,
  outcome text check (outcome in ('confirmed', 'refused', 'withdrawn')),
  decided_by uuid references people,
  decided_at timestamptz,
  reason text not null default '' check (length(reason) <= 500),
  -- A change that makes a secret: its proposer collects it, once. Until then the secret does not exist.
  collect_until timestamptz,
  collected_at timestamptz,
  primary key (application_id, change_id),
  constraint change_is_decided_by_somebody check ((outcome is null) = (decided_by is null) and (outcome is null) = (decided_at is null)),
  -- Nobody confirms their own change; only they can withdraw it.
  constraint two_people_change_terms check (outcome is null or (outcome = 'withdrawn') = (decided_by = proposed_by)),
  constraint proposed_changes_collected check (collected_at is null or (collect_until is not null and outcome = 'confirmed')),
  constraint proposed_changes_keep_no_secrets check (outcome is null or sealed_payload is null)
);
create index proposed_changes_by_time on proposed_changes (application_id, proposed_at desc);
create index proposed_changes_sealed on proposed_changes (expires_at) where sealed_payload is not null;
