-- Adds the postings of a period, of one application or (null) of all.
create or replace function add_ledger_days(p_application uuid, p_from timestamptz, p_until timestamptz) returns void
language plpgsql volatile set jit = off
set search_path from current as $$
begin
  execute $sql$
    insert into ledger_days as d (application_id, operator, day, posting_count, collect_minor, deposit_minor, held_minor,
        collected_minor, paid_minor, fees_minor, funded_minor, corrected_minor, withdrawn_minor, reversed_minor, late_minor, conceded_minor, fees_out_minor,
        collected_count, paid_count, fees_app_minor, collect_fees_minor, collect_fees_app_minor,
        placed_minor, released_minor, deposit_peak_minor)
      select m.application_id, m.operator, m.day, count(*), sum(m.collect_minor), sum(m.deposit_minor), sum(m.held_minor),
             sum(m.collected_minor), sum(m.paid_minor), sum(m.fees_minor), sum(m.funded_minor), sum(m.corrected_minor), sum(m.withdrawn_minor), sum(m.reversed_minor), sum(m.late_minor), sum(m.conceded_minor), sum(m.fees_out_minor),
             sum(m.collected_count), sum(m.paid_count), sum(m.fees_app_minor), sum(m.collect_fees_minor), sum(m.collect_fees_app_minor),
             sum(m.placed_minor), sum(m.released_minor), greatest(0, max(m.risen_minor))
        -- Postings of one instant are one batch and happened together.
        from (select n.*, sum(n.deposit_minor) over (partition by n.application_id, n.operator, n.day order by n.at) as risen_minor
                from ledger_movements n
                where n.at >= $2 and n.at < $3 and ($1 is null or n.application_id = $1)) m
        group by m.application_id, m.operator, m.day
      on conflict (application_id, operator, day) do update set
        posting_count = d.posting_count + excluded.posting_count,
        collect_minor = d.collect_minor + excluded.collect_minor,
        deposit_minor = d.deposit_minor + excluded.deposit_minor,
        held_minor = d.held_minor + excluded.held_minor,
        collected_minor = d.collected_minor + excluded.collected_minor,
        paid_minor = d.paid_minor + excluded.paid_minor,
        fees_minor = d.fees_minor + excluded.fees_minor,
        funded_minor = d.funded_minor + excluded.funded_minor,
        corrected_minor = d.corrected_minor + excluded.corrected_minor,
        withdrawn_minor = d.withdrawn_minor + excluded.withdrawn_minor,
        reversed_minor = d.reversed_minor + excluded.reversed_minor,
        late_minor = d.late_minor + excluded.late_minor,
        conceded_minor = d.conceded_minor + excluded.conceded_minor,
        fees_out_minor = d.fees_out_minor + excluded.fees_out_minor,
        collected_count = d.collected_count + excluded.collected_count,
        paid_count = d.paid_count + excluded.paid_count,
        fees_app_minor = d.fees_app_minor + excluded.fees_app_minor,
        collect_fees_minor = d.collect_fees_minor + excluded.collect_fees_minor,
        collect_fees_app_minor = d.collect_fees_app_minor + excluded.collect_fees_app_minor,
        placed_minor = d.placed_minor + excluded.placed_minor,
        released_minor = d.released_minor + excluded.released_minor,
        deposit_peak_minor = greatest(d.deposit_peak_minor, d.deposit_minor + excluded.deposit_peak_minor)
  $sql$ using p_application, p_from, p_until;
  perform add_ledger_edges(p_application, null, p_from, p_until);
end $$;
