-- Proposals of one person that another confirms, outside transactions: money that enters a balance, and changes of people, access and terms.

-- A change of people, access or terms, or a funding. The effect of a confirmed one is in the tables that it changed and in the audit chain; its row
-- says who proposed it, what both people saw, and how it ended.
create table proposed_changes (
  application_id uuid not null references applications,
  change_id uuid not null,
  kind text not null,
  -- A person, an operator and a direction, a network, a reference: one proposal about each is open at a time.
  subject text not null,
  -- The input of the change. Never a secret.
  payload jsonb not null,
  -- Input that contains secrets, encrypted. Nothing of it is left once the change has ended.
  sealed_payload text,
  -- The facts that both people saw. Most kinds are confirmed only while `before` is still true. Balances change with every payment: of a confirmed funding
  -- these are the balances before and after it.
  before jsonb not null,
  after jsonb not null,
  proposed_by uuid not null references people,
  proposed_at timestamptz not null default now(),
  expires_at timestamptz not null,
  outcome text check (outcome in ('confirmed', 'refused', 'withdrawn')),
  decided_by uuid references people,
  decided_at timestamptz,
  reason text not null default '' check (length(reason) <= 500),
  -- Of those that one person proposed together, with one piece of evidence. Each is decided for itself, or all that still wait at once.
  batch_id uuid,
  -- Its proposer confirmed it: a secret of a sandbox, which guards no money. A trigger refuses it in production.
  is_confirmed_alone boolean not null default false,
  -- A change that makes a secret: its proposer collects it, once. Until then the secret does not exist.
  collect_until timestamptz,
  collected_at timestamptz,
  primary key (application_id, change_id),
  constraint change_is_decided_by_somebody check ((outcome is null) = (decided_by is null) and (outcome is null) = (decided_at is null)),
  -- Nobody confirms their own change, except for a secret of a sandbox; only they can withdraw it.
  constraint two_people_make_a_change check (outcome is null or is_confirmed_alone or (outcome = 'withdrawn') = (decided_by = proposed_by)),
  constraint only_secrets_are_confirmed_alone check (not is_confirmed_alone or (outcome = 'confirmed' and decided_by = proposed_by
    and kind in ('key.create', 'key.rotate', 'api_user.create', 'api_user.reset', 'webhook_secret.rotate')) is true),
  constraint proposed_changes_collected check (collected_at is null or (collect_until is not null and outcome = 'confirmed')),
  constraint proposed_changes_keep_no_secrets check (outcome is null or sealed_payload is null),
  constraint funding_is_of_a_kind check (kind not like 'funding.%' or kind in ('funding.pay_in', 'funding.move', 'funding.correction', 'funding.withdrawal')),
  -- Hundredths, below zero only for a correction that takes money away.
  constraint funding_has_amount check (kind not like 'funding.%'
    or (payload ->> 'amountMinor' ~ (case kind when 'funding.correction' then '^-?[1-9][0-9]{0,11}$' else '^[1-9][0-9]{0,11}$' end)) is true),
  constraint only_corrections_choose_the_balance check (kind not like 'funding.%'
    or (case when kind in ('funding.correction', 'funding.withdrawal') then payload ->> 'account' in ('collect', 'deposit')
             else not payload ? 'account' end) is true),
  constraint withdrawal_has_bank_account check (kind not like 'funding.%'
    or (case kind when 'funding.withdrawal' then payload ->> 'bankAccountId' ~ '^[0-9a-f-]{36}$' else not payload ? 'bankAccountId' end) is true),
  constraint transfer_has_amount check (kind <> 'wallet.plan' or (payload ->> 'amountMinor' ~ '^[1-9][0-9]{0,11}$') is true),
  -- The subject is the reference without spaces, punctuation and letter case: two spellings of one bank transfer are one.
  constraint funding_has_reference check (kind not like 'funding.%'
    or (length(payload ->> 'reference') between 1 and 100 and subject <> '' and length(payload ->> 'note') <= 500) is true),
  -- Name and digest of a file that is stored elsewhere: its holder can show that it is this one.
  constraint only_moves_have_no_document check (kind not like 'funding.%' or (kind in ('funding.move', 'funding.withdrawal') and payload -> 'document' = 'null') is true
    or (length(payload #>> '{document,name}') between 1 and 200 and payload #>> '{document,sha256}' ~ '^[0-9a-f]{64}$') is true),
  constraint funding_has_balances check (kind not like 'funding.%'
    or (before ?& array['collectMinor', 'depositMinor'] and after ?& array['collectMinor', 'depositMinor', 'currency']))
);
create index proposed_changes_by_time on proposed_changes (application_id, proposed_at desc);
create index proposed_changes_open on proposed_changes (proposed_at) where outcome is null;
create index proposed_changes_by_batch on proposed_changes (application_id, batch_id) where batch_id is not null;
create index proposed_changes_by_subject on proposed_changes (application_id, kind, subject);
create function refuse_confirming_alone() returns trigger language plpgsql
set search_path from current as $$
begin
  if not exists (select from installation where mode = 'sandbox') then
    raise exception 'only in a sandbox may one person make a secret' using errcode = 'check_violation', constraint = 'only_sandboxes_confirm_alone';
  end if;
  return new;
end
$$;
create trigger refuse_confirming_alone before insert or update of is_confirmed_alone on proposed_changes
  for each row when (new.is_confirmed_alone) execute function refuse_confirming_alone();
alter table proposed_changes enable always trigger refuse_confirming_alone;
-- No bank transfer is booked twice.
create unique index fundings_booked_once on proposed_changes (application_id, kind, subject) where outcome = 'confirmed' and kind like 'funding.%';
create index proposed_changes_sealed on proposed_changes (expires_at) where sealed_payload is not null;
