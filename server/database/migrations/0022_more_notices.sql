-- E-mails about the state of the service: a low balance, an operator that is down, an account at an operator that is short, failing webhooks; and about
-- payments and keys that expire.

-- Of what belongs to an operator; `type` where its directions differ.
alter table notices add column operator text;
alter table notices add column type text check (type in ('COLLECT', 'DEPOSIT'));
alter table notices drop constraint notices_cause_check;
alter table notices add constraint notices_cause_check check (cause in (
  'approval_waiting', 'approval_expiring', 'change_waiting', 'change_expiring', 'change_confirmed', 'change_refused', 'payment_rejected',
  'payment_expired', 'payment_failed', 'batch_ended', 'list_not_prepared',
  'exception_overdue', 'balance_low', 'float_short', 'operator_down', 'webhooks_failing', 'key_expiring', 'monthly_totals', 'new_device',
  'new_passkey'));
create index notices_of_states on notices (application_id, cause, created_at)
  where cause in ('approval_expiring', 'balance_low', 'float_short', 'operator_down', 'webhooks_failing');
create unique index notices_of_keys on notices (subject_id) where cause = 'key_expiring';

-- Writes the notice of something that lasts or comes and goes, unless it was reported within the pause. A notice that no longer concerned anybody when
-- it was to be sent reported nothing.
create function note_state(p_application uuid, p_cause text, p_pause interval, p_operator text default null, p_type text default null)
returns void language plpgsql set search_path from current as $$
begin
  -- Another transaction writes the same notice. Nothing waits for it, so callers cannot deadlock; if it is rolled back, so is its cause, which happens
  -- again: the row that changed is locked, or its webhook is given up again.
  if not pg_try_advisory_xact_lock(hashtextextended(concat_ws(' ', 'note_state', p_application, p_cause, p_operator, p_type), 0)) then
    return;
  end if;
  insert into notices (application_id, cause, subject_id, operator, type)
    select a.application_id, p_cause, a.application_id, p_operator, p_type from applications a
      where a.application_id = p_application and not exists (select 1 from notices n
        where n.application_id = p_application and n.cause = p_cause and n.operator is not distinct from p_operator
          and n.type is not distinct from p_type and n.created_at > now() - p_pause
          and (n.state = 'waiting' or exists (select 1 from notice_messages m where m.notice_id = n.notice_id and m.state <> 'dropped')));
end $$;

-- A deposit balance falls below the limit that its finance set. Setting a limit above the balance is no news to the person who does it.
create function note_low_balance() returns trigger language plpgsql set search_path from current as $$
begin
  if exists (select 1 from balance_thresholds b where b.application_id = new.application_id and b.operator = new.operator
               and b.threshold_minor > new.deposit_minor and b.threshold_minor <= old.deposit_minor) then
    perform note_state(new.application_id, 'balance_low', interval '1 hour', new.operator);
  end if;
  return null;
end $$;
create trigger note_low after update on ledger_balances for each row when (new.deposit_minor < old.deposit_minor)
  execute function note_low_balance();

-- An operator's direction is closed: the applications that may use it are told.
create function note_closed_operator() returns trigger language plpgsql set search_path from current as $$
begin
  if old.state = 'CLOSED' then
    return null;
  end if;
  perform note_state(a.application_id, 'operator_down', interval '1 hour', new.operator, new.type)
    from applications a
    where a.is_enabled and coalesce((select s.is_enabled from transfer_services s where s.application_id = a.application_id
      and s.operator = new.operator and s.type = new.type), true);
  return null;
end $$;
create trigger note_closed after insert or update on operator_circuits for each row when (new.state = 'CLOSED')
  execute function note_closed_operator();

-- Our account at an operator begins to be short, or falls below its floor: the application that runs the installation is told.
create function note_short_float() returns trigger language plpgsql set search_path from current as $$
begin
  if (new.waits_since is not null and old.waits_since is null)
     or (new.reported_minor < new.floor_minor and coalesce(old.reported_minor >= old.floor_minor, true)) then
    perform note_state(a.application_id, 'float_short', interval '1 hour', new.operator, 'DEPOSIT') from applications a where a.runs_installation;
  end if;
  return null;
end $$;
create trigger note_short after insert or update on operator_floats for each row
  when (new.waits_since is not null or new.reported_minor < new.floor_minor) execute function note_short_float();

-- A webhook is given up. Every further one of the same outage is too, so a day passes until the next notice.
create function note_failing_webhooks() returns trigger language plpgsql set search_path from current as $$
begin
  perform note_state(new.application_id, 'webhooks_failing', interval '1 day');
  return null;
end $$;
create trigger note_given_up after update on webhook_deliveries for each row when (new.state = 'exhausted' and old.state <> 'exhausted')
  execute function note_failing_webhooks();

-- A payment of a person that nobody approved in time. A row of a batch is no mail of its own, as before.
create or replace function note_rejected_payment() returns trigger language plpgsql set search_path from current as $$
begin
  insert into notices (application_id, cause, subject_id)
    select t.application_id, 'payment_' || new.event, t.transaction_id from transactions t
      where t.application_id = new.application_id and t.transaction_id = new.transaction_id and t.source = 'person' and t.maker_id is not null;
  return null;
end $$;
create trigger note_expired after insert on transaction_events for each row when (new.event = 'expired')
  execute function note_rejected_payment();

-- A payment of a person that failed at the operator, or that the service ended unsent, such as one that waited for float too long.
create function note_failed_payment() returns trigger language plpgsql set search_path from current as $$
begin
  insert into notices (application_id, cause, subject_id)
    select t.application_id, 'payment_failed', t.transaction_id from transactions t
      where t.application_id = new.application_id and t.transaction_id = new.transaction_id and t.source = 'person' and t.maker_id is not null;
  return null;
end $$;
create trigger note_failed after insert on transaction_events for each row
  when (new.event = 'failed' or new.event = 'stopped' and new.actor_kind = 'system') execute function note_failed_payment();

-- A change that was decided: its proposer is told. Nobody confirms or refuses an own proposal (two_people_make_a_change), and people know what they
-- withdraw themselves.
create function note_decided_change() returns trigger language plpgsql set search_path from current as $$
begin
  insert into notices (application_id, cause, subject_id) values (new.application_id, 'change_' || new.outcome, new.change_id);
  return null;
end $$;
create trigger note_decided after update of outcome on proposed_changes for each row
  when (old.outcome is null and new.outcome in ('confirmed', 'refused'))
  execute function note_decided_change();

-- A month of a table that its owner has sent to them.
create function note_monthly_totals() returns trigger language plpgsql set search_path from current as $$
begin
  insert into notices (application_id, cause, subject_id) values (new.application_id, 'monthly_totals', new.monthly_id);
  return null;
end $$;
create trigger note_monthly after insert on monthly_totals for each row execute function note_monthly_totals();

-- A new password that a person may choose with a link, because the administrator of the machine reset the one before. The link contains a token of 256
-- random bits and works once.
create table password_resets (
  person_id uuid primary key references people,
  token_hash bytea not null unique,
  expires_at timestamptz not null
);

-- Mails with the link of an invitation or of a new password, inserted with it. An installation that sends no mail deletes them within a minute.
create table link_mails (
  link_mail_id uuid primary key,
  kind text not null check (kind in ('invitation', 'password')),
  -- Null: a password belongs to no application.
  application_id uuid references applications,
  -- The invitation or the person.
  subject_id uuid not null,
  -- Encrypted, and removed with the end of the mail: everywhere else a token is stored as its digest only.
  link_token text,
  -- As of notice_messages. dropped: the link was replaced, used or withdrawn, or has expired.
  state text not null default 'waiting' check (state in ('waiting', 'sending', 'unknown', 'sent', 'failed', 'dropped')),
  attempts integer not null default 0,
  created_at timestamptz not null default now(),
  next_at timestamptz not null default now(),
  claimed_at timestamptz,
  constraint ended_mail_has_no_link check ((link_token is null) = (state in ('sent', 'failed', 'dropped'))),
  constraint only_passwords_have_no_application check ((application_id is null) = (kind = 'password'))
);
create index link_mails_due on link_mails (next_at) where state in ('waiting', 'sending', 'unknown');
create index link_mails_by_subject on link_mails (subject_id);
create index link_mails_by_age on link_mails (created_at);

-- When a person wants e-mails, in hours of their own time zone, or else of that of the application; without a row: the digest at six, and no quiet hours.
create table notice_times (
  person_id uuid primary key references people,
  digest_hour smallint not null check (digest_hour between 0 and 23),
  -- From the first hour until the second no mail is sent, except of a sign-in; what was written meanwhile arrives as one mail at their end.
  quiet_from smallint check (quiet_from between 0 and 23),
  quiet_until smallint check (quiet_until between 0 and 23),
  constraint quiet_hours_have_both_ends check ((quiet_from is null) = (quiet_until is null)),
  constraint quiet_hours_end check (quiet_from <> quiet_until)
);

-- Where the events of an application are sent as webhooks, as two people set it.
create table event_receivers (
  application_id uuid primary key references applications,
  url text not null check (length(url) between 1 and 2048)
);

-- The webhook about a notice, inserted with it. States and attempts are those of webhook_deliveries.
create table event_deliveries (
  application_id uuid not null,
  notice_id uuid not null references notices on delete cascade,
  url text not null,
  state text not null default 'due' check (state in ('due', 'delivered', 'exhausted')),
  -- Counted before anything is sent, so that a crash cannot lead to a fifth attempt.
  attempts smallint not null default 0 check (attempts between 0 and 4),
  next_at timestamptz not null default now(),
  claimed_until timestamptz,
  -- How the last attempt ended.
  outcome text,
  http_status integer,
  detail text,
  ended_at timestamptz,
  primary key (application_id, notice_id)
);
create index event_deliveries_due on event_deliveries (next_at) where state = 'due';
create index event_deliveries_by_notice on event_deliveries (notice_id);

create function note_event() returns trigger language plpgsql set search_path from current as $$
begin
  insert into event_deliveries (application_id, notice_id, url)
    select r.application_id, new.notice_id, r.url from event_receivers r where r.application_id = new.application_id;
  return null;
end $$;
-- A person's account belongs to no application, and the tables that a person saved are not the program's.
create trigger note_event after insert on notices for each row
  when (new.application_id is not null and new.cause <> 'monthly_totals') execute function note_event();
