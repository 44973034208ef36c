-- Fees per UTC month of creation, so that totals over years read a hundred rows and not ten years of days. A trigger keeps them equal to the
-- days, because a process of the release before adds days too while it is being replaced.
create table fee_months (
  application_id uuid not null,
  month date not null,
  operator text not null,
  type text not null,
  fee_system_minor bigint not null check (fee_system_minor >= 0),
  fee_app_minor bigint not null check (fee_app_minor >= 0),
  primary key (application_id, month, operator, type)
);

create or replace function add_fee_month() returns trigger language plpgsql set search_path from current as $$
begin
  insert into fee_months as m (application_id, month, operator, type, fee_system_minor, fee_app_minor)
    values (new.application_id, date_trunc('month', new.day)::date, new.operator, new.type,
      new.fee_system_minor - coalesce(old.fee_system_minor, 0), new.fee_app_minor - coalesce(old.fee_app_minor, 0))
    on conflict (application_id, month, operator, type) do update
      set fee_system_minor = m.fee_system_minor + excluded.fee_system_minor, fee_app_minor = m.fee_app_minor + excluded.fee_app_minor;
  return null;
end $$;

-- Waits for who writes to the days, and is waited for until the months below are complete.
create trigger add_fee_month after insert or update on fee_days for each row execute function add_fee_month();

insert into fee_months (application_id, month, operator, type, fee_system_minor, fee_app_minor)
  select application_id, date_trunc('month', day)::date, operator, type, sum(fee_system_minor), sum(fee_app_minor)
    from fee_days group by 1, 2, 3, 4;
