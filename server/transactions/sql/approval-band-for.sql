-- Returns the approval band that applies to a new transaction, which approval_band_among chooses by what is measured here. The value
-- compared with most limits is the largest of the amount, the total of its batch, and the sum of everything of its type that the same maker
-- started for that person within 24 hours, so that splitting a payment does not avoid a rule. p_phones holds every form of the
-- person's number. Returns null if no band applies.
create or replace function approval_band_for(p_application uuid, p_type text, p_maker uuid, p_source text, p_phones text[], p_amount_minor bigint,
                              p_batch_minor bigint, p_earlier_minor bigint, p_bands jsonb, p_at timestamptz)
returns jsonb language plpgsql stable
set search_path from current as $$
declare
  v_phone text;
  v_row record;
  v_older integer;
  v_recent_minor bigint := 0;
  v_is_first boolean := false;
  v_strongest jsonb;
begin
  -- Nothing is read if the strongest band applies regardless of what was paid before: every row of a file whose total is above all limits.
  v_strongest := approval_band_among(jsonb_build_array(p_bands -> -1), p_amount_minor, p_batch_minor, p_earlier_minor + p_amount_minor, false);
  if v_strongest is not null then
    return v_strongest;
  end if;
  foreach v_phone in array p_phones loop
    -- Newest first, and it stops after 100 older rows: a number can have any number of payments, and this runs under the lock of
    -- its application. Creation times follow the sequence, except where the clock was set back.
    v_older := 0;
    for v_row in
      select t.type, t.status, t.amount_minor, t.maker_id, t.source, t.created_at
        from transactions t where t.application_id = p_application and t.phone_number = v_phone order by t.sequence desc
    loop
      if v_row.created_at <= p_at - interval '24 hours' then
        v_older := v_older + 1;
        exit when v_older = 100;
      else
        v_older := 0;
        if v_row.type = p_type and v_row.status <> 'FAILED'
           and v_row.maker_id is not distinct from p_maker and (p_maker is not null or v_row.source = p_source) then
          v_recent_minor := v_recent_minor + v_row.amount_minor;
        end if;
      end if;
    end loop;
  end loop;
  if exists (select 1 from jsonb_array_elements(p_bands) as band (value) where (band.value ->> 'firstTimeOnly')::boolean) then
    -- Among the newest 500, which is also what a checker is shown. If all of those failed, a checker should look at it.
    select not exists (
      select 1 from unnest(p_phones) as p (phone)
        cross join lateral (select t.type, t.status from transactions t where t.application_id = p_application and t.phone_number = p.phone
                            order by t.sequence desc limit 500) t
        where t.type = p_type and t.status = 'SUCCESS') into v_is_first;
  end if;
  return approval_band_among(p_bands, p_amount_minor, p_batch_minor, v_recent_minor + p_earlier_minor + p_amount_minor, v_is_first);
end $$;
