create or replace function give_application_slug() returns trigger language plpgsql
set search_path from current as $$
declare
  stem text := slug_of(new.name);
  suffix integer := 1;
begin
  if new.slug is not null then return new; end if;
  -- Addresses of the product.
  if stem in ('api', 'docs', 'public', 'sign-in', 'sign-out', 'settings', 'health', 'metrics', 'search', 'static', 'pay') then stem := stem || '-app'; end if;
  -- Two new applications of one name are created one after the other.
  perform pg_advisory_xact_lock(hashtext('countersign.slug'), hashtext(stem));
  new.slug := stem;
  while exists (select 1 from applications a where a.slug = new.slug) loop
    suffix := suffix + 1;
    new.slug := stem || '-' || suffix;
  end loop;
  return new;
end $$;
