-- Which of these holds the balance covers, in order of arrival. A hold that is refused takes nothing from those after it.
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
