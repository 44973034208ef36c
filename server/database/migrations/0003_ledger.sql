-- The ledger: six accounts per application and operator, whose sum is always zero.

-- The balances now; each column is an account. The checks hold whatever writes: a deposit balance never falls below zero, and the books
-- balance.
create table ledger_balances (
  application_id uuid not null,
  operator text not null,
  currency text not null,
  collect_minor bigint not null default 0,
  deposit_minor bigint not null default 0 check (deposit_minor >= 0),
  held_minor bigint not null default 0 check (held_minor >= 0),
  fees_minor bigint not null default 0,
  clearing_minor bigint not null default 0,
  revenue_minor bigint not null default 0,
  primary key (application_id, operator),
  constraint books_balance check (collect_minor + deposit_minor + held_minor + fees_minor + clearing_minor + revenue_minor = 0)
) with (fillfactor = 50);

-- A posting; each of its six amounts is the entry on that account. The key allows one posting of each kind per subject, so that no retry books
-- twice. The subject is a transaction; of a funding and of fees taken out, the change that two people made.
create table ledger_postings (
  application_id uuid not null,
  subject_id uuid not null,
  kind text not null check (kind in ('hold', 'release', 'settle', 'fund', 'move', 'correct', 'withdraw', 'reverse', 'late', 'concede', 'fees_out')),
  operator text not null,
  currency text not null,
  collect_minor bigint not null default 0,
  deposit_minor bigint not null default 0,
  held_minor bigint not null default 0,
  fees_minor bigint not null default 0,
  clearing_minor bigint not null default 0,
  revenue_minor bigint not null default 0,
  actor_id uuid,
  reason text,
  -- The change of two people behind an adjustment; it may belong to the application that runs the installation.
  change_application_id uuid,
  change_id uuid,
  at timestamptz not null,
  primary key (application_id, subject_id, kind),
  constraint adjustment_has_change check ((kind in ('reverse', 'late', 'concede', 'fees_out')) = (change_id is not null)),
  constraint posting_balances check (collect_minor + deposit_minor + held_minor + fees_minor + clearing_minor + revenue_minor = 0)
);
-- Rows lie on disk in order of time, so a block range index serves statements and costs a posting almost nothing.
create index ledger_postings_by_time on ledger_postings using brin (at) with (pages_per_range = 16, autosummarize = on);
create trigger refuse_change before update or delete on ledger_postings for each row execute function refuse_change();
create trigger refuse_truncate before truncate on ledger_postings for each statement execute function refuse_change();
alter table ledger_postings enable always trigger refuse_change;
alter table ledger_postings enable always trigger refuse_truncate;

-- The same postings as classic entries, one line per account.
create view ledger_entries as
  select p.application_id, p.subject_id, p.kind, p.operator, p.currency, e.account, e.amount_minor, p.at
  from ledger_postings p
  cross join lateral (values ('collect', p.collect_minor), ('deposit', p.deposit_minor), ('held', p.held_minor),
                             ('fees', p.fees_minor), ('clearing', p.clearing_minor), ('revenue', p.revenue_minor))
    as e (account, amount_minor)
  where e.amount_minor <> 0;

-- A posting as a statement of account shows it. `collected`, `paid`, `funded` and `withdrawn` are money that came from outside or went there; held money
-- only changes its account. What adjusts a transaction whose status is final (`reversed`, `late`, `conceded`) and fees taken out change the
-- balances by one amount each.
create view ledger_movements as
  select p.application_id, p.operator, p.at, (p.at at time zone 'UTC')::date as day, p.collect_minor, p.deposit_minor, p.held_minor,
         case when p.kind = 'settle' and p.clearing_minor < 0 then -p.clearing_minor else 0 end as collected_minor,
         case when p.kind = 'settle' and p.clearing_minor > 0 then p.clearing_minor else 0 end as paid_minor,
         case when p.kind = 'settle' then p.fees_minor + p.revenue_minor else 0 end as fees_minor,
         case when p.kind = 'fund' then p.deposit_minor else 0 end as funded_minor,
         case when p.kind = 'correct' then p.collect_minor + p.deposit_minor + p.held_minor else 0 end as corrected_minor,
         case when p.kind = 'withdraw' then p.clearing_minor else 0 end as withdrawn_minor,
         case when p.kind = 'reverse' then p.collect_minor + p.deposit_minor + p.held_minor else 0 end as reversed_minor,
         case when p.kind = 'late' then p.collect_minor + p.deposit_minor + p.held_minor else 0 end as late_minor,
         case when p.kind = 'concede' then p.collect_minor + p.deposit_minor + p.held_minor else 0 end as conceded_minor,
         case when p.kind = 'fees_out' then p.collect_minor + p.deposit_minor + p.held_minor else 0 end as fees_out_minor,
         case when p.kind = 'settle' and p.clearing_minor < 0 then 1 else 0 end as collected_count,
         case when p.kind = 'settle' and p.clearing_minor > 0 then 1 else 0 end as paid_count,
         case when p.kind = 'settle' then p.fees_minor else 0 end as fees_app_minor,
         case when p.kind = 'settle' and p.clearing_minor < 0 then p.fees_minor + p.revenue_minor else 0 end as collect_fees_minor,
         case when p.kind = 'settle' and p.clearing_minor < 0 then p.fees_minor else 0 end as collect_fees_app_minor,
         case when p.kind = 'hold' then p.held_minor else 0 end as placed_minor,
         case when p.kind = 'release' then -p.held_minor else 0 end as released_minor
    from ledger_postings p;

-- Movements by UTC day, up to ledger_seal. A scheduled task adds the postings since its last run, so a payment pays nothing for it; readers add
-- the postings since the seal themselves, so that a statement is right however late the task is.
create table ledger_days (
  application_id uuid not null,
  operator text not null,
  day date not null,
  posting_count bigint not null,
  -- How much each balance changed.
  collect_minor bigint not null,
  deposit_minor bigint not null,
  held_minor bigint not null,
  collected_minor bigint not null,
  paid_minor bigint not null,
  fees_minor bigint not null,
  funded_minor bigint not null,
  corrected_minor bigint not null,
  withdrawn_minor bigint not null,
  reversed_minor bigint not null,
  late_minor bigint not null,
  conceded_minor bigint not null,
  fees_out_minor bigint not null,
  -- Of what was settled, for totals by the day on which transactions succeeded: how many in each direction; of the fees the application's part,
  -- those of collects, and the application's part of these.
  collected_count bigint not null,
  paid_count bigint not null,
  fees_app_minor bigint not null,
  collect_fees_minor bigint not null,
  collect_fees_app_minor bigint not null,
  placed_minor bigint not null,
  released_minor bigint not null,
  -- The highest deposit balance of the day, above the one that it began with: finds the day on which a balance became low.
  deposit_peak_minor bigint not null check (deposit_peak_minor >= 0),
  primary key (application_id, operator, day),
  constraint statement_adds_up check (
    collect_minor + deposit_minor + held_minor = collected_minor + funded_minor + corrected_minor + reversed_minor + late_minor + conceded_minor
      + fees_out_minor - paid_minor - withdrawn_minor - fees_minor)
);

-- One row: the instant up to which postings are in ledger_days.
create table ledger_seal (
  is_only boolean primary key default true check (is_only),
  sealed_until timestamptz not null
);
insert into ledger_seal (sealed_until) values ('-infinity');

-- Below which deposit balance an application's finance is warned.
create table balance_thresholds (
  application_id uuid not null,
  operator text not null,
  threshold_minor bigint not null check (threshold_minor > 0),
  set_by uuid not null,
  set_at timestamptz not null default now(),
  primary key (application_id, operator)
);
