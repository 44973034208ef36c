-- The entries of each kind of posting on the six accounts, as in the table of ../README.md: the only place that says so. Null kind:
-- nothing. A fund, move, correct, withdraw, concede or fees_out posting moves p_amount_minor, which is negative where a correction or concession takes
-- money away; p_type says which balance it is about (COLLECT, else deposit). The others belong to a transaction with this type, amount and
-- fees. Without a search_path of its own, so that PostgreSQL inlines it into the statements for whole batches. It reads no table.
create or replace function posting_amounts(p_kind text, p_type text, p_amount_minor bigint, p_fee_system_minor bigint, p_fee_app_minor bigint)
returns table (collect_minor bigint, deposit_minor bigint, held_minor bigint, fees_minor bigint, clearing_minor bigint, revenue_minor bigint)
language sql immutable rows 1 as $$
  select
    case when p_kind in ('settle', 'late') and p_type = 'COLLECT' then p_amount_minor - p_fee_system_minor - p_fee_app_minor
         when p_kind = 'reverse' and p_type = 'COLLECT' then -(p_amount_minor - p_fee_system_minor - p_fee_app_minor)
         when p_kind = 'move' or (p_kind = 'withdraw' and p_type = 'COLLECT') then -p_amount_minor
         when p_kind = 'fees_out' or (p_kind in ('correct', 'concede') and p_type = 'COLLECT') then p_amount_minor
         else 0 end,
    case when p_kind = 'hold' or (p_kind = 'late' and p_type = 'DEPOSIT') then -(p_amount_minor + p_fee_system_minor + p_fee_app_minor)
         when p_kind = 'release' or (p_kind = 'reverse' and p_type = 'DEPOSIT') then p_amount_minor + p_fee_system_minor + p_fee_app_minor
         when p_kind = 'withdraw' and p_type is distinct from 'COLLECT' then -p_amount_minor
         when p_kind in ('fund', 'move') or (p_kind in ('correct', 'concede') and p_type is distinct from 'COLLECT') then p_amount_minor
         else 0 end,
    case when p_kind = 'hold' then p_amount_minor + p_fee_system_minor + p_fee_app_minor
         when p_kind = 'release' or (p_kind = 'settle' and p_type = 'DEPOSIT') then -(p_amount_minor + p_fee_system_minor + p_fee_app_minor)
         else 0 end,
    case when p_kind in ('settle', 'late') then p_fee_app_minor
         when p_kind = 'reverse' then -p_fee_app_minor
         when p_kind = 'fees_out' then -p_amount_minor
         else 0 end,
    case when p_kind in ('fund', 'correct') or (p_kind in ('settle', 'late') and p_type = 'COLLECT') or (p_kind = 'reverse' and p_type = 'DEPOSIT')
           then -p_amount_minor
         when p_kind in ('settle', 'late', 'reverse', 'withdraw') then p_amount_minor
         else 0 end,
    case when p_kind in ('settle', 'late') then p_fee_system_minor
         when p_kind = 'reverse' then -p_fee_system_minor
         when p_kind = 'concede' then -p_amount_minor
         else 0 end
$$;
