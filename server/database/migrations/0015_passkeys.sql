-- Passkeys: key pairs whose private half a person's device keeps, and the challenges that it signs.

create table passkeys (
  -- As the device calls it, in base64url. Unique in the whole installation: a sign-in finds its person by it.
  credential_id text primary key check (length(credential_id) between 1 and 1400),
  person_id uuid not null references people,
  name text not null check (length(name) between 1 and 60),
  -- COSE, as the device wrote it.
  public_key bytea not null,
  -- How often the device has signed; always 0 for those that do not count. A number that is not above the last one means that the key was copied.
  sign_count bigint not null check (sign_count >= 0),
  transports text[] not null,
  created_at timestamptz not null,
  last_used_at timestamptz
);
create index passkeys_by_person on passkeys (person_id);

-- Whether a person has a second factor, and what they confirm with: codes of an authenticator app, or a passkey.
create function has_second_factor(p_person uuid) returns boolean language sql stable
set search_path from current as $$
  select exists (select from people where person_id = p_person and totp_enabled_at is not null)
    or exists (select from passkeys where person_id = p_person)
$$;

-- Each is signed once, within minutes, for the one purpose, person and session that it was made for. It is no secret.
create table passkey_challenges (
  challenge text primary key,
  purpose text not null check (purpose in ('registration', 'sign_in', 'confirmation')),
  -- Null: at a sign-in nobody knows yet who it is.
  person_id uuid references people,
  -- The session that asked to confirm something. What its person signs for it is worth nothing in another one.
  session_id uuid,
  expires_at timestamptz not null,
  constraint only_sign_ins_are_of_nobody check ((person_id is null) = (purpose = 'sign_in')),
  constraint only_confirmations_are_of_a_session check ((session_id is not null) = (purpose = 'confirmation'))
);
create index passkey_challenges_by_end on passkey_challenges (expires_at);

-- A passkey alone opens the account, so its owner is told of each new one.
create function note_new_passkey() returns trigger language plpgsql set search_path from current as $$
begin
  insert into notices (cause, subject_id) values ('new_passkey', new.person_id);
  return null;
end $$;
create trigger note_new_passkey after insert on passkeys for each row execute function note_new_passkey();
