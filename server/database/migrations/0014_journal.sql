-- The journal of signed days, from which bookkeeping programs are filled.

-- The accounts of the installation's chart, once per version; two people change them. Without one, the defaults of lib/reconciliation/journal.ts
-- apply, which are version 0.
create table journal_mappings (
  application_id uuid not null,
  version integer not null check (version > 0),
  -- The code of the journal, of each account, and of wallets that have an account of their own.
  codes jsonb not null,
  change_id uuid not null,
  confirmed_by uuid not null,
  at timestamptz not null default clock_timestamp(),
  primary key (application_id, version)
);
create trigger refuse_change before update or delete on journal_mappings for each row execute function refuse_change();
create trigger refuse_truncate before truncate on journal_mappings for each statement execute function refuse_change();
alter table journal_mappings enable always trigger refuse_change;
alter table journal_mappings enable always trigger refuse_truncate;

-- One entry for a wallet and day on which something moved, and one that reverses it where a later version of the day has other figures. It is
-- numbered in the transaction that signs the day.
create table journal_entries (
  application_id uuid not null,
  number bigint not null check (number > 0),
  kind text not null check (kind in ('day', 'reversal')),
  wallet text not null,
  day date not null,
  -- Of the certificate that it follows from; a reversal has that of the certificate that replaced it.
  version integer not null check (version > 0),
  -- The number of the entry that this one reverses.
  reverses bigint check (reverses < number),
  currency text not null,
  -- Of the accounts that were valid when it was numbered.
  mapping_version integer not null check (mapping_version >= 0),
  journal text not null,
  -- The sum of its debits, which is that of its credits.
  debit_minor bigint not null check (debit_minor > 0),
  numbered_at timestamptz not null default clock_timestamp(),
  primary key (application_id, number),
  constraint reversal_names_entry check ((kind = 'reversal') = (reverses is not null)),
  constraint entry_is_reversed_once unique (application_id, reverses),
  constraint one_entry_per_version unique (application_id, wallet, day, version, kind)
);
create index journal_entries_by_day on journal_entries (application_id, day, number);

create table journal_lines (
  application_id uuid not null,
  number bigint not null,
  place smallint not null check (place > 0),
  -- The account as lib/reconciliation/journal.ts names it, and its code in the chart.
  account text not null,
  code text not null,
  -- The slug of the application to which the money belongs.
  auxiliary text,
  -- Above zero a debit, below zero a credit.
  amount_minor bigint not null check (amount_minor <> 0),
  primary key (application_id, number, place)
);

create trigger refuse_change before update or delete on journal_entries for each row execute function refuse_change();
create trigger refuse_truncate before truncate on journal_entries for each statement execute function refuse_change();
create trigger refuse_change before update or delete on journal_lines for each row execute function refuse_change();
create trigger refuse_truncate before truncate on journal_lines for each statement execute function refuse_change();
alter table journal_entries enable always trigger refuse_change;
alter table journal_entries enable always trigger refuse_truncate;
alter table journal_lines enable always trigger refuse_change;
alter table journal_lines enable always trigger refuse_truncate;

-- At the commit each entry follows the one before and balances, and no line belongs to none.
create function check_journal_entry() returns trigger language plpgsql
set search_path from current as $$
declare
  v_debit bigint;
begin
  select e.debit_minor into v_debit from journal_entries e
   where e.application_id = new.application_id and e.number = new.number
     and (e.number = 1 or exists (select from journal_entries b where b.application_id = e.application_id and b.number = e.number - 1));
  if not found then
    raise exception 'the journal has a gap before entry %', new.number using errcode = 'check_violation';
  end if;
  if (select (coalesce(sum(l.amount_minor), 0), coalesce(sum(l.amount_minor) filter (where l.amount_minor > 0), 0)) is distinct from (0::numeric, v_debit::numeric)
        from journal_lines l where l.application_id = new.application_id and l.number = new.number) then
    raise exception 'the journal entry % does not balance', new.number using errcode = 'check_violation';
  end if;
  return null;
end $$;
create constraint trigger check_entry after insert on journal_entries deferrable initially deferred
  for each row execute function check_journal_entry();
create constraint trigger check_entry after insert on journal_lines deferrable initially deferred
  for each row execute function check_journal_entry();
alter table journal_entries enable always trigger check_entry;
alter table journal_lines enable always trigger check_entry;
