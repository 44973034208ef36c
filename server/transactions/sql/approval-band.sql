-- The approval band that a deposit falls in: the last band whose threshold the weighed amount is greater than.
-- What is weighed is the largest of the row, its batch, and everything the same maker sent to that phone within 24 hours,
-- so that splitting a payment dodges nothing. Null: no band fires.
create or replace function approval_band(p_application uuid, p_maker uuid, p_source text, p_phone text, p_amount_minor bigint,
                              p_batch_minor bigint, p_earlier_minor bigint, p_bands jsonb, p_at timestamptz)
returns jsonb language plpgsql stable
set search_path from current as $$
declare
  recent_minor bigint;
  weighed_minor bigint;
  is_first boolean;
begin
  select coalesce(sum(t.amount_minor), 0) into recent_minor
    from transactions t
    where t.application_id = p_application and t.phone_number = p_phone and t.type = 'DEPOSIT'
      and t.created_at > p_at - interval '24 hours' and t.status <> 'FAILED'
      and t.maker_id is not distinct from p_maker and (p_maker is not null or t.source = p_source);
  weighed_minor := greatest(p_amount_minor, p_batch_minor, recent_minor + p_earlier_minor + p_amount_minor);
  select not exists (select 1 from transactions t where t.application_id = p_application and t.phone_number = p_phone
                     and t.type = 'DEPOSIT' and t.status = 'SUCCESS') into is_first;
  return (select band.value from jsonb_array_elements(p_bands) with ordinality as band (value, place)
          where weighed_minor > (band.value ->> 'aboveMinor')::bigint
            and (is_first or not coalesce((band.value ->> 'firstTimeOnly')::boolean, false))
          order by band.place desc limit 1);
end $$;
