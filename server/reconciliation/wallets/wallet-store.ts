import { defaultSettings, findWallet, WALLETS, type Wallet, type WalletSettings } from '#lib/reconciliation/wallets.ts'
import type { Queryable } from '#server/database/pool.ts'

const COLUMNS = `w.wallet, w.number, w.zone, w.cutoff_minute as "cutoffMinute", w.fee_ppm as "feePpm", w.fee_fixed_minor as "feeFixedMinor",
  w.fee_rounding as "feeRounding", w.fee_tax_ppm as "feeTaxPpm", w.fee_form as "feeForm",
  w.opening_day::text as "openingDay", w.opening_minor as "openingMinor"`

export type SetWallet = Wallet & WalletSettings

/** Every wallet with its settings, in the order of the operators. */
export async function listWallets(queryable: Queryable, applicationId: string): Promise<SetWallet[]> {
  const { rows } = await queryable.query<WalletSettings & { wallet: string }>(
    `select ${COLUMNS} from wallets w where w.application_id = $1`,
    [applicationId],
  )
  return WALLETS.map((wallet) => ({ ...defaultSettings(wallet), ...rows.find((row) => row.wallet === wallet.wallet), ...wallet }))
}

/** One wallet with its settings; undefined if there is none with this id. */
export async function readWallet(queryable: Queryable, applicationId: string, id: string): Promise<SetWallet | undefined> {
  const wallet = findWallet(id)
  if (!wallet) return undefined
  const { rows } = await queryable.query<WalletSettings>(`select ${COLUMNS} from wallets w where w.application_id = $1 and w.wallet = $2`, [
    applicationId,
    id,
  ])
  return { ...defaultSettings(wallet), ...rows[0], ...wallet }
}

/** Whether a wallet has imported lines: their days are counted in its zone and by its cut-off. */
export async function isInUse(queryable: Queryable, applicationId: string, wallet: string): Promise<boolean> {
  const { rowCount } = await queryable.query('select 1 from statement_lines where application_id = $1 and wallet = $2 limit 1', [
    applicationId,
    wallet,
  ])
  return rowCount === 1
}

/** Stores the settings of a wallet. */
export async function upsertWallet(
  queryable: Queryable,
  { applicationId, wallet, settings, changedBy }: { applicationId: string; wallet: string; settings: WalletSettings; changedBy: string },
): Promise<void> {
  await queryable.query(
    `insert into wallets (application_id, wallet, number, zone, cutoff_minute, fee_ppm, fee_fixed_minor, fee_rounding, fee_tax_ppm, fee_form,
         opening_day, opening_minor, changed_by)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
     on conflict (application_id, wallet) do update
       set number = excluded.number, zone = excluded.zone, cutoff_minute = excluded.cutoff_minute, fee_ppm = excluded.fee_ppm,
           fee_fixed_minor = excluded.fee_fixed_minor, fee_rounding = excluded.fee_rounding, fee_tax_ppm = excluded.fee_tax_ppm,
           fee_form = excluded.fee_form, opening_day = excluded.opening_day, opening_minor = excluded.opening_minor,
           changed_by = excluded.changed_by, changed_at = clock_timestamp()`,
    [
      applicationId,
      wallet,
      settings.number,
      settings.zone,
      settings.cutoffMinute,
      settings.feePpm,
      settings.feeFixedMinor,
      settings.feeRounding,
      settings.feeTaxPpm,
      settings.feeForm,
      settings.openingDay,
      settings.openingMinor,
      changedBy,
    ],
  )
}

export type ReportedBalance = {
  operator: string
  checkedAt: Date
  collectMinor: bigint | null
  depositMinor: bigint | null
  reportedMinor: bigint | null
  ledgerMinor: bigint
  differsSince: Date | null
  unexplainedMinor: bigint | null
}

const POLL_COLUMNS = `operator, checked_at as "checkedAt", collect_minor as "collectMinor", deposit_minor as "depositMinor",
  reported_minor as "reportedMinor", ledger_minor as "ledgerMinor", differs_since as "differsSince", unexplained_minor as "unexplainedMinor"`

/** The last balance that each operator reported. */
export async function listReportedBalances(queryable: Queryable, applicationId: string): Promise<ReportedBalance[]> {
  const { rows } = await queryable.query<ReportedBalance>(
    `select distinct on (operator) ${POLL_COLUMNS} from operator_balance_polls where application_id = $1 order by operator, checked_at desc`,
    [applicationId],
  )
  return rows
}

/** How long before the end of a day a balance may have been reported to be taken for that of its end. */
const REPORTED_BEFORE = '15 minutes'

/** The last balance that the operator of a wallet reported before a day began, and before it ended; the ends without one are missing. */
export async function listBalancesAround(
  queryable: Queryable,
  applicationId: string,
  { wallet: { operator, zone, cutoffMinute }, day }: { wallet: SetWallet; day: string },
): Promise<(ReportedBalance & { edge: 'opening' | 'closing' })[]> {
  const { rows } = await queryable.query<ReportedBalance & { edge: 'opening' | 'closing' }>(
    `select e.edge, p.* from (values ('opening', 0), ('closing', 1)) as e (edge, days)
       cross join lateral (select ($3::date + e.days + $5 * interval '1 minute') at time zone $4 as at) n
       cross join lateral (select ${POLL_COLUMNS} from operator_balance_polls
         where application_id = $1 and operator = $2 and checked_at <= n.at and checked_at > n.at - interval '${REPORTED_BEFORE}'
         order by checked_at desc limit 1) p`,
    [applicationId, operator, day, zone, cutoffMinute],
  )
  return rows
}

/** The last balance of each day that an operator reported, newest first. Days are those of the zone. */
export async function listDailyBalances(
  queryable: Queryable,
  { applicationId, operator, zone }: { applicationId: string; operator: string; zone: string },
): Promise<(ReportedBalance & { day: string })[]> {
  const { rows } = await queryable.query<ReportedBalance & { day: string }>(
    `select distinct on (day) (checked_at at time zone $3)::date::text as day, ${POLL_COLUMNS}
       from operator_balance_polls where application_id = $1 and operator = $2
      order by day desc, checked_at desc`,
    [applicationId, operator, zone],
  )
  return rows
}
