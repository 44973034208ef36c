-- Joining grants nothing: the membership begins when the person who proposed the invitation has confirmed the code that the new person sees.
alter table person_invitations
  drop constraint person_invitations_check2,
  add column link_holders uuid[] not null default '{}',
  add column code text,
  add column wrong_codes integer not null default 0,
  add column joined_like uuid references people,
  add column activated_by uuid references people,
  add column activated_at timestamptz;
-- Whoever accepted before is a member, by the decision of the two people who agreed on it.
update person_invitations set link_holders = array[confirmed_by], activated_at = accepted_at,
  activated_by = case when accepted_at is not null then proposed_by end;
alter table person_invitations
  alter column link_holders drop default,
  add constraint link_holders_confirm check (confirmed_by = any (link_holders)),
  add constraint proposer_holds_no_link check (proposed_by <> all (link_holders)),
  add constraint activated_by_another check (activated_by <> all (link_holders) and activated_by <> accepted_by),
  add constraint activated_after_joining check ((activated_at is null) = (activated_by is null) and (activated_at is null or accepted_at is not null)),
  add constraint activated_or_withdrawn check (activated_at is null or withdrawn_at is null),
  add constraint code_while_it_is_needed check ((code is not null) = (accepted_at is not null and activated_at is null and withdrawn_at is null));
drop index person_invitations_open;
create unique index person_invitations_open on person_invitations (application_id, email) where activated_at is null and withdrawn_at is null;
create index person_invitations_by_email on person_invitations (email) where activated_at is null and withdrawn_at is null;
