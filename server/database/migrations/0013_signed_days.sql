-- Close of day: the wallet book, and the certificates with which two people sign a day of a wallet.

-- Postings about an account at an operator that are about no transaction of an application: what the operator takes and pays, money that nobody
-- knows, and transfers between own accounts. Each column is an account. A fee that is printed beside payments is one posting per file and day.
create table wallet_postings (
  application_id uuid not null,
  wallet text not null,
  -- `line 42`, or `file`, its id and the day; of everything else the change of two people: `change` and its id.
  subject text not null,
  kind text not null check (kind in ('opening', 'fee', 'tax', 'commission', 'unmatched', 'release', 'transfer', 'loss')),
  -- The operator's day on which it counts; `origin_day`: of its line, if that day was signed before.
  day date not null,
  origin_day date check (origin_day < day),
  wallet_minor bigint not null default 0,
  operator_fee_minor bigint not null default 0,
  tax_minor bigint not null default 0,
  commission_minor bigint not null default 0,
  suspense_minor bigint not null default 0,
  transit_minor bigint not null default 0,
  loss_minor bigint not null default 0,
  -- The line of the statement that it is about.
  line_id bigint,
  -- The change behind everything that does not follow from a line alone, and the person who confirmed it.
  change_id uuid,
  actor_id uuid,
  reason text not null default '',
  at timestamptz not null default clock_timestamp(),
  primary key (application_id, wallet, subject, kind),
  constraint wallet_posting_balances check (
    wallet_minor + operator_fee_minor + tax_minor + commission_minor + suspense_minor + transit_minor + loss_minor = 0),
  -- A transfer follows from its two lines, or from two people where its other line is not known.
  constraint people_post_by_change check (case when kind in ('fee', 'tax', 'commission') then change_id is null
                                               when kind = 'transfer' then true else change_id is not null end
                                          and (change_id is null) = (actor_id is null))
);
create index wallet_postings_by_day on wallet_postings (application_id, wallet, day);
create index wallet_postings_by_line on wallet_postings (application_id, line_id) where line_id is not null;
-- A line enters suspense once and leaves it once; it is one transfer or one loss.
create unique index wallet_postings_once on wallet_postings (application_id, line_id, kind) where line_id is not null;
create trigger refuse_change before update or delete on wallet_postings for each row execute function refuse_change();
create trigger refuse_truncate before truncate on wallet_postings for each statement execute function refuse_change();
alter table wallet_postings enable always trigger refuse_change;
alter table wallet_postings enable always trigger refuse_truncate;

-- The key pairs of the installation that sign certificates. The newest one signs; of a retired one only the public key is left, which verifies
-- what it signed.
create table certificate_keys (
  application_id uuid not null,
  key_id uuid not null,
  -- Raw, 32 bytes, in hexadecimal.
  public_key text not null check (public_key ~ '^[0-9a-f]{64}$'),
  -- PKCS 8, encrypted (server/secrets-at-rest).
  private_key text,
  created_at timestamptz not null default clock_timestamp(),
  retired_at timestamptz,
  primary key (application_id, key_id),
  constraint retired_key_signs_nothing check ((retired_at is null) = (private_key is not null))
);
create unique index certificate_keys_current on certificate_keys (application_id) where retired_at is null;

-- A day of a wallet as people prepared and signed it, once per version. prepared: the figures wait for the second person and may be prepared
-- again. signed: a certificate, which protects its day. reopened: two administrators opened the day again; the next version follows.
-- to_be_signed_again: an earlier day was reopened, so the chain before it has changed; it still protects its day.
create table day_certificates (
  application_id uuid not null,
  wallet text not null,
  day date not null,
  version integer not null check (version > 0),
  state text not null check (state in ('prepared', 'signed', 'reopened', 'to_be_signed_again')),
  operator text not null,
  -- Which of our postings are in the wallet: those of collects, of deposits, or of both.
  account text not null check (account in ('collect', 'deposit', 'both')),
  -- The instants of the operator's day, the end excluded.
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  -- Canonical JSON (server/reconciliation/certificates/certificate.ts). Until it is signed: without the signer.
  body text not null,
  -- SHA-256 of the body.
  hash bytea not null check (length(hash) = 32),
  -- The hash of the certificate of the day before; null for the first day of a wallet.
  previous_hash bytea check (length(previous_hash) = 32),
  prepared_by uuid not null,
  prepared_at timestamptz not null,
  signed_by uuid,
  signed_at timestamptz,
  key_id uuid,
  -- Ed25519, of the bytes of the body.
  signature bytea check (length(signature) = 64),
  -- The people who proposed what was posted in this day.
  makers uuid[] not null default '{}',
  -- The change of two administrators that reopened it.
  reopened_by_change uuid,
  primary key (application_id, wallet, day, version),
  constraint day_has_an_end check (starts_at < ends_at),
  constraint signed_is_whole check ((state = 'prepared') = (signed_by is null) and (signed_by is null) = (signed_at is null)
    and (signed_by is null) = (key_id is null) and (signed_by is null) = (signature is null)),
  constraint two_people_sign check (signed_by <> prepared_by),
  -- Nobody signs a day in which they had money moved.
  constraint makers_do_not_sign check (signed_by <> all (makers)),
  constraint reopened_has_change check ((state = 'reopened') = (reopened_by_change is not null))
);
create index day_certificates_by_time on day_certificates (operator, ends_at) where state in ('signed', 'to_be_signed_again');
create unique index day_certificates_prepared on day_certificates (application_id, wallet, day) where state = 'prepared';

-- The days that certificates protect, and the next day after each that none does: what is found late counts there.
create view signed_days as
  select d.application_id, d.wallet, d.day, max(d.day) over (partition by d.application_id, d.wallet, d.run) + 1 as next_day
    from (select g.application_id, g.wallet, g.day, g.day - row_number() over (partition by g.application_id, g.wallet order by g.day)::integer as run
            from (select distinct c.application_id, c.wallet, c.day from day_certificates c
                   where c.state in ('signed', 'to_be_signed_again')) g) d;

-- Of a prepared day everything may change until it is signed. A certificate keeps its content for good; its state says what became of it.
create function guard_certificate() returns trigger language plpgsql
set search_path from current as $$
begin
  if tg_op = 'DELETE' then
    raise exception 'certificates are never removed' using errcode = 'restrict_violation';
  end if;
  if old.state = 'prepared' and new.state in ('prepared', 'signed')
     and (new.application_id, new.wallet, new.day, new.version) = (old.application_id, old.wallet, old.day, old.version) then
    return new;
  end if;
  if (old.state, new.state) in (('signed', 'reopened'), ('signed', 'to_be_signed_again'), ('to_be_signed_again', 'reopened'))
     and to_jsonb(new) - '{state,reopened_by_change}'::text[] = to_jsonb(old) - '{state,reopened_by_change}'::text[] then
    return new;
  end if;
  raise exception 'a certificate is never changed: reopen the day' using errcode = 'restrict_violation';
end $$;
create trigger guard_certificate before update or delete on day_certificates for each row execute function guard_certificate();
create trigger refuse_truncate before truncate on day_certificates for each statement execute function refuse_change();
alter table day_certificates enable always trigger guard_certificate;
alter table day_certificates enable always trigger refuse_truncate;

-- In which of two accounts at an operator a posting of the ledger is; `move` is in both. Without a search_path of its own, so that PostgreSQL
-- inlines it. It reads no table.
create function is_in_account(p_account text, p_kind text, p_collect_minor bigint, p_clearing_minor bigint) returns boolean
language sql immutable as $$
  select p_account = 'both' or case
    when p_kind in ('settle', 'late') then (p_clearing_minor < 0) = (p_account = 'collect')
    when p_kind = 'reverse' then (p_clearing_minor > 0) = (p_account = 'collect')
    when p_kind in ('correct', 'withdraw', 'concede', 'fees_out') then (p_collect_minor <> 0) = (p_account = 'collect')
    when p_kind = 'move' then true
    -- fund, hold, release
    else p_account = 'deposit' end
$$;

-- The people who proposed what two people posted in a day.
create function fill_makers() returns trigger language plpgsql
set search_path from current as $$
begin
  new.makers := array(
    select c.proposed_by from ledger_postings p
      join proposed_changes c on c.application_id = coalesce(p.change_application_id, p.application_id)
                             and c.change_id = coalesce(p.change_id, p.subject_id)
     where p.operator = new.operator and p.at >= new.starts_at and p.at < new.ends_at
       and p.kind in ('fund', 'move', 'correct', 'withdraw', 'reverse', 'late', 'concede', 'fees_out')
       and is_in_account(new.account, p.kind, p.collect_minor, p.clearing_minor)
    union
    select c.proposed_by from wallet_postings w
      join proposed_changes c on c.application_id = w.application_id and c.change_id = w.change_id
     where w.application_id = new.application_id and w.wallet = new.wallet and w.day = new.day);
  return new;
end $$;
create trigger fill_makers before insert or update on day_certificates for each row when (new.state in ('prepared', 'signed'))
  execute function fill_makers();
alter table day_certificates enable always trigger fill_makers;

-- Held shared by whatever changes days of a wallet, alone by who prepares or signs one: figures and signature are of the same facts.
create function lock_wallet_days(p_application uuid, p_wallet text, p_alone boolean) returns void language plpgsql
set search_path from current as $$
declare
  v_key integer := hashtext(p_application || ' ' || p_wallet);
begin
  if p_alone then
    perform pg_advisory_xact_lock(hashtext('countersign.day'), v_key);
  else
    perform pg_advisory_xact_lock_shared(hashtext('countersign.day'), v_key);
  end if;
end $$;

create function refuse_signed_day(p_wallet text, p_day date) returns void language plpgsql
set search_path from current as $$
begin
  raise exception 'the day % of % is signed: what is found later belongs to the next open day', p_day, p_wallet using errcode = 'restrict_violation';
end $$;

create function is_day_signed(p_application uuid, p_wallet text, p_day date) returns boolean language plpgsql
set search_path from current as $$
begin
  perform lock_wallet_days(p_application, p_wallet, false);
  return exists (select from day_certificates c where c.application_id = p_application and c.wallet = p_wallet and c.day = p_day
                    and c.state in ('signed', 'to_be_signed_again'));
end $$;

-- For all lines of a statement at once: an import stores a million of them.
create function protect_from_line() returns trigger language plpgsql
set search_path from current as $$
declare
  v_wallet text;
  v_day date;
begin
  perform lock_wallet_days(w.application_id, w.wallet, false)
    from (select distinct application_id, wallet from changed_rows order by 1, 2) w;
  -- A statement of its own, which sees what was signed before the lock was free.
  select d.wallet, d.local_day into v_wallet, v_day
    from (select distinct application_id, wallet, local_day from changed_rows) d
   where is_day_signed(d.application_id, d.wallet, d.local_day) limit 1;
  if found then
    perform refuse_signed_day(v_wallet, v_day);
  end if;
  return null;
end $$;
create trigger protect_signed_day after insert on statement_lines referencing new table as changed_rows
  for each statement execute function protect_from_line();
alter table statement_lines enable always trigger protect_signed_day;

create function protect_from_wallet_posting() returns trigger language plpgsql
set search_path from current as $$
begin
  if is_day_signed(new.application_id, new.wallet, new.day) then
    perform refuse_signed_day(new.wallet, new.day);
  end if;
  return new;
end $$;
create trigger protect_signed_day before insert on wallet_postings for each row execute function protect_from_wallet_posting();
alter table wallet_postings enable always trigger protect_signed_day;

-- A match counts on the day of its line, or on the late day.
create function protect_from_match() returns trigger language plpgsql
set search_path from current as $$
declare
  v_wallet text;
  v_day date;
begin
  perform lock_wallet_days(w.application_id, w.wallet, false)
    from (select distinct l.application_id, l.wallet from changed_rows r join statement_lines l using (application_id, line_id)
           order by 1, 2) w;
  -- A statement of its own after the lock, and nothing to join where nobody signs.
  if not exists (select from day_certificates c where c.state in ('signed', 'to_be_signed_again')) then
    return null;
  end if;
  select l.wallet, s.day into v_wallet, v_day
    from changed_rows r
    join statement_lines l using (application_id, line_id)
    join signed_days s on s.application_id = l.application_id and s.wallet = l.wallet and s.day = coalesce(r.late_day, l.local_day)
   limit 1;
  if found then
    perform refuse_signed_day(v_wallet, v_day);
  end if;
  return null;
end $$;
create trigger protect_signed_day after insert on line_matches referencing new table as changed_rows
  for each statement execute function protect_from_match();
create trigger protect_signed_day_from_undo after delete on line_matches referencing old table as changed_rows
  for each statement execute function protect_from_match();
alter table line_matches enable always trigger protect_signed_day;
alter table line_matches enable always trigger protect_signed_day_from_undo;

-- A posting carries a time after its database transaction began, and a day is signed an hour after its end at the earliest, once nothing that
-- began before can still post (ledger_seal). So only what is dated back has to be looked up, and a payment pays nothing for it.
create function protect_from_posting() returns trigger language plpgsql
set search_path from current as $$
declare
  v_wallet text;
  v_day date;
begin
  select c.wallet, c.day into v_wallet, v_day from day_certificates c
   where c.operator = new.operator and c.state in ('signed', 'to_be_signed_again') and new.at >= c.starts_at and new.at < c.ends_at
     and is_in_account(c.account, new.kind, new.collect_minor, new.clearing_minor)
   limit 1;
  if found then
    perform refuse_signed_day(v_wallet, v_day);
  end if;
  return new;
end $$;
create trigger protect_signed_day before insert on ledger_postings for each row when (new.at < current_timestamp - interval '1 hour')
  execute function protect_from_posting();
alter table ledger_postings enable always trigger protect_signed_day;
