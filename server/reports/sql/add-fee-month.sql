-- Keeps fee_months equal to fee_days, whichever release of the service writes the days.
create or replace function add_fee_month() returns trigger
language plpgsql
set search_path from current as $$
begin
  insert into fee_months as m (application_id, month, operator, type, fee_system_minor, fee_app_minor)
    values (new.application_id, date_trunc('month', new.day)::date, new.operator, new.type,
      new.fee_system_minor - coalesce(old.fee_system_minor, 0), new.fee_app_minor - coalesce(old.fee_app_minor, 0))
    on conflict (application_id, month, operator, type) do update
      set fee_system_minor = m.fee_system_minor + excluded.fee_system_minor, fee_app_minor = m.fee_app_minor + excluded.fee_app_minor;
  return null;
end $$;
