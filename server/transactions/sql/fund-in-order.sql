-- Says for each hold, in order of arrival, whether the balance covers it. A hold that is not covered takes nothing from the next ones.
create or replace function fund_in_order(balance_minor bigint, holds bigint[]) returns boolean[] language plpgsql immutable
set search_path from current as $$
declare
  verdicts boolean[] := array[]::boolean[];
  hold_minor bigint;
begin
  foreach hold_minor in array holds loop
    if hold_minor <= balance_minor then
      balance_minor := balance_minor - hold_minor;
      verdicts := verdicts || true;
    else
      verdicts := verdicts || false;
    end if;
  end loop;
  return verdicts;
end $$;
