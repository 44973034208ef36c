-- Returns the last of the approval bands whose limits are all exceeded, or null. p_day_minor is what the same maker sent to the same
-- person within 24 hours, this transaction included. Intake chooses with it (approval-band-for.sql, which is applied after this file), and so does the replay of rules over
-- past transactions (reports/policy-replay), so that both decide alike.
create or replace function approval_band_among(p_bands jsonb, p_amount_minor bigint, p_batch_minor bigint, p_day_minor bigint, p_is_first boolean)
returns jsonb language sql immutable
set search_path from current as $$
  select band.value from jsonb_array_elements(p_bands) with ordinality as band (value, position)
    where greatest(p_amount_minor, p_batch_minor, p_day_minor) > (band.value ->> 'aboveMinor')::bigint
      and p_batch_minor > coalesce((band.value ->> 'aboveBatchMinor')::bigint, -1)
      and p_day_minor > coalesce((band.value ->> 'aboveDayMinor')::bigint, -1)
      and (p_is_first or not coalesce((band.value ->> 'firstTimeOnly')::boolean, false))
    order by band.position desc limit 1
$$;
