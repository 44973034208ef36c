-- The fee that an operator may charge for a payment by the agreement of a wallet, the tax on it included; null without one. Amounts are hundredths, the
-- fee and its tax are rounded to a whole unit each.
create or replace function agreed_fee(amount bigint, ppm integer, fixed bigint, rounding text, tax_ppm integer) returns bigint
language sql immutable parallel safe as $$
  select (f.fee + case rounding when 'up' then ceil(f.fee * tax_ppm / 1000000 / 100)
                                when 'down' then floor(f.fee * tax_ppm / 1000000 / 100)
                                else round(f.fee * tax_ppm / 1000000 / 100) end * 100)::bigint
    from (select case rounding when 'up' then ceil(amount::numeric * ppm / 1000000 / 100)
                               when 'down' then floor(amount::numeric * ppm / 1000000 / 100)
                               else round(amount::numeric * ppm / 1000000 / 100) end * 100 + fixed as fee) f
$$;
