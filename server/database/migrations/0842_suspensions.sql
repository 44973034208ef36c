-- One administrator can suspend one membership at once, whatever else the person belongs to. It takes the place of blocking the whole account,
-- which only the machine's administrator does now.
alter table memberships
  add column suspended_at timestamptz,
  add column suspended_by uuid references people,
  add constraint suspended_by_somebody check ((suspended_at is null) = (suspended_by is null)),
  add constraint suspended_is_inactive check (suspended_at is null or not is_active);
alter table people drop column blocked_in;
