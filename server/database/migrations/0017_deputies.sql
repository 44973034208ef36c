-- Deputies: who decides about payments in place of a checker who is absent.

-- One absence and its deputy, as two people agreed on it (change_id). It holds while the absent person is a checker, and while the deputy is a
-- member with a second factor: both are read when somebody decides (absent_checkers).
create table deputies (
  application_id uuid not null references applications,
  deputyship_id uuid not null,
  absent_id uuid not null references people,
  deputy_id uuid not null references people,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  change_id uuid not null,
  -- Ended early, by one person.
  ended_at timestamptz,
  ended_by uuid references people,
  primary key (application_id, deputyship_id),
  constraint deputy_is_another check (deputy_id <> absent_id),
  constraint deputyship_is_short check (ends_at > starts_at and ends_at <= starts_at + interval '62 days'),
  constraint deputyship_is_ended_by_somebody check ((ended_at is null) = (ended_by is null))
);
create index deputies_of_person on deputies (application_id, deputy_id) where ended_at is null;
create index deputies_of_absent on deputies (application_id, absent_id) where ended_at is null;

-- Whether a person is an active checker of an application by a role of their own: a member with the role who is not blocked.
create function is_own_checker(p_application uuid, p_person uuid) returns boolean language sql stable
set search_path from current as $$
  select exists (
    select 1 from memberships m join people p on p.person_id = m.person_id
      where m.application_id = p_application and m.person_id = p_person and m.is_active and 'checker' = any (m.roles) and not p.is_blocked)
$$;

-- Whether a person can be the deputy of another one now: an active member with a second factor of their own who is no checker, and an active checker.
-- A right that somebody has as a deputy is no role, so it is never passed on. Maker, checker and administrator in one person is refused as for roles.
create function may_stand_in(p_application uuid, p_deputy uuid, p_absent uuid) returns boolean language sql stable
set search_path from current as $$
  select p_deputy <> p_absent and is_own_checker(p_application, p_absent) and exists (
    select 1 from memberships m join people p on p.person_id = m.person_id join applications a on a.application_id = m.application_id
      where m.application_id = p_application and m.person_id = p_deputy and m.is_active and cardinality(m.roles) > 0
        and not 'checker' = any (m.roles) and not p.is_blocked and has_second_factor(p.person_id)
        and (not m.roles @> array['maker', 'administrator'] or a.allows_combined_roles
          or exists (select from installation where mode = 'sandbox')))
$$;

-- The checkers in whose place a person may decide now, each with the end of their absence. None for a checker, whose own right is enough.
create function absent_checkers(p_application uuid, p_person uuid)
returns table (absent_id uuid, ends_at timestamptz) language sql stable
set search_path from current as $$
  select d.absent_id, d.ends_at from deputies d
    where d.application_id = p_application and d.deputy_id = p_person and d.ended_at is null
      and d.starts_at <= statement_timestamp() and d.ends_at > statement_timestamp()
      and may_stand_in(d.application_id, d.deputy_id, d.absent_id)
$$;
