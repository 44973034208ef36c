-- Replaced by approval-band-for.sql. A start runs the migrations before it applies functions, so a migration that dropped this
-- one would break the intake_batch that is still in place at that moment: only a later release can drop it.
create or replace function approval_band(p_application uuid, p_maker uuid, p_source text, p_phone text, p_amount_minor bigint,
                              p_batch_minor bigint, p_earlier_minor bigint, p_bands jsonb, p_at timestamptz)
returns jsonb language sql stable
set search_path from current as $$
  select approval_band_for(p_application, 'DEPOSIT', p_maker, p_source, array[p_phone], p_amount_minor, p_batch_minor, p_earlier_minor, p_bands, p_at)
$$;
