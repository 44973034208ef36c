-- Adds to the sums of ledger_days what of a period belongs to another day in a zone: of one application or (null) of all, and for one zone
-- or (null) for those whose earlier postings are counted.
create or replace function add_ledger_edges(p_application uuid, p_time_zone text, p_from timestamptz, p_until timestamptz) returns void
language plpgsql volatile set jit = off
set search_path from current as $$
begin
  execute $sql$
    insert into ledger_day_edges as d (application_id, time_zone, operator, day, business_day, posting_count, collect_minor, deposit_minor,
        held_minor, collected_minor, paid_minor, fees_minor, funded_minor, corrected_minor, withdrawn_minor, reversed_minor, late_minor, conceded_minor, fees_out_minor,
        collected_count, paid_count, fees_app_minor, collect_fees_minor, collect_fees_app_minor,
        placed_minor, released_minor)
      select m.application_id, z.time_zone, m.operator, m.day, (m.at at time zone z.time_zone)::date, count(*), sum(m.collect_minor),
             sum(m.deposit_minor), sum(m.held_minor), sum(m.collected_minor), sum(m.paid_minor), sum(m.fees_minor), sum(m.funded_minor),
             sum(m.corrected_minor), sum(m.withdrawn_minor), sum(m.reversed_minor), sum(m.late_minor), sum(m.conceded_minor), sum(m.fees_out_minor),
             sum(m.collected_count), sum(m.paid_count), sum(m.fees_app_minor), sum(m.collect_fees_minor), sum(m.collect_fees_app_minor), sum(m.placed_minor), sum(m.released_minor)
        from ledger_movements m
        join day_zones z on z.application_id = m.application_id and (z.time_zone = $2 or ($2 is null and z.is_ledger_counted))
        where m.at >= $3 and m.at < $4 and ($1 is null or m.application_id = $1) and (m.at at time zone z.time_zone)::date <> m.day
        group by 1, 2, 3, 4, 5
      on conflict (application_id, time_zone, operator, day, business_day) do update set
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
        released_minor = d.released_minor + excluded.released_minor
  $sql$ using p_application, p_time_zone, p_from, p_until;
end $$;
