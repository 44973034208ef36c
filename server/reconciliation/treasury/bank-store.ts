import type { RunOutcome, WithdrawalAccount } from '#lib/finance/treasury-dto.ts'
import type { ScheduleTime } from '#lib/finance/withdrawal-schedule.ts'
import type { BankNumber } from '#lib/money/bank-number.ts'
import type { Currency } from '#lib/money/money.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import type { Queryable, TrxClient } from '#server/database/pool.ts'

export type BankAccount = BankNumber & { bankAccountId: string; holder: string; bank: string; currency: Currency; isRemoved: boolean }

const ACCOUNT = `bank_account_id as "bankAccountId", holder, bank, currency, form, number, removed_at is not null as "isRemoved"`

/** A bank account, a removed one too; undefined if the application never had it. */
export async function readBankAccount(
  queryable: Queryable,
  applicationId: string,
  bankAccountId: string,
): Promise<BankAccount | undefined> {
  const { rows } = await queryable.query<BankAccount>(
    `select ${ACCOUNT} from bank_accounts where application_id = $1 and bank_account_id = $2`,
    [applicationId, bankAccountId],
  )
  return rows[0]
}

/** The bank accounts that withdrawals may go to, the oldest first. */
export async function listBankAccounts(queryable: Queryable, applicationId: string): Promise<BankAccount[]> {
  const { rows } = await queryable.query<BankAccount>(
    `select ${ACCOUNT} from bank_accounts where application_id = $1 and removed_at is null order by added_at, bank_account_id`,
    [applicationId],
  )
  return rows
}

/** False: the application has an account with this number and currency. */
export async function insertBankAccount(
  trx: TrxClient,
  row: Omit<BankAccount, 'isRemoved'> & { applicationId: string; addedBy: string },
): Promise<boolean> {
  const { rowCount } = await trx.query(
    `insert into bank_accounts (application_id, bank_account_id, holder, bank, currency, form, number, added_by)
       values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing`,
    [row.applicationId, row.bankAccountId, row.holder, row.bank, row.currency, row.form, row.number, row.addedBy],
  )
  return rowCount === 1
}

/** False: there is no such account, or it was removed before. */
export async function removeAccount(trx: TrxClient, applicationId: string, bankAccountId: string, removedBy: string): Promise<boolean> {
  const { rowCount } = await trx.query(
    `update bank_accounts set removed_by = $3, removed_at = clock_timestamp()
      where application_id = $1 and bank_account_id = $2 and removed_at is null`,
    [applicationId, bankAccountId, removedBy],
  )
  return rowCount === 1
}

/** The smallest withdrawal in a currency, in hundredths; null: any amount. */
export async function findMinimum(queryable: Queryable, applicationId: string, currency: Currency): Promise<bigint | null> {
  return (await listMinimums(queryable, applicationId)).find((each) => each.currency === currency)?.minimumMinor ?? null
}

export async function listMinimums(queryable: Queryable, applicationId: string): Promise<{ currency: Currency; minimumMinor: bigint }[]> {
  const { rows } = await queryable.query<{ currency: Currency; minimumMinor: bigint }>(
    'select currency, minimum_minor as "minimumMinor" from withdrawal_minimums where application_id = $1 order by currency',
    [applicationId],
  )
  return rows
}

/** Stores a minimum; null removes it. */
export async function storeMinimum(
  trx: TrxClient,
  row: { applicationId: string; currency: Currency; minimumMinor: bigint | null; changedBy: string },
): Promise<void> {
  const values = [row.applicationId, row.currency]
  if (row.minimumMinor === null) {
    await trx.query('delete from withdrawal_minimums where application_id = $1 and currency = $2', values)
    return
  }
  await trx.query(
    `insert into withdrawal_minimums (application_id, currency, minimum_minor, changed_by) values ($1, $2, $3, $4)
     on conflict (application_id, currency) do update
       set minimum_minor = excluded.minimum_minor, changed_by = excluded.changed_by, changed_at = clock_timestamp()`,
    [...values, row.minimumMinor, row.changedBy],
  )
}

/** One of the two balances at an operator. */
export type Balance = { applicationId: string; operator: OperatorCode; account: WithdrawalAccount }
export type ScheduleTerms = ScheduleTime & { bankAccountId: string; keepMinor: bigint }
export type Schedule = Balance & ScheduleTerms & { proposedBy: string; proposerName: string; setAt: Date; timeZone: string }

const SCHEDULE = `select s.application_id as "applicationId", s.operator, s.account, s.bank_account_id as "bankAccountId", s.every, s.weekday,
    s.month_day as "monthDay", s.minute, s.keep_minor as "keepMinor", s.proposed_by as "proposedBy", p.name as "proposerName", s.set_at as "setAt",
    a.time_zone as "timeZone"
  from withdrawal_schedules s join applications a using (application_id) join people p on p.person_id = s.proposed_by`

/** The schedules of one application or (null) of all. */
export async function listSchedules(queryable: Queryable, applicationId: string | null): Promise<Schedule[]> {
  const { rows } = await queryable.query<Schedule>(
    `${SCHEDULE} where $1::uuid is null or s.application_id = $1 order by s.application_id, s.operator, s.account`,
    [applicationId],
  )
  return rows
}

export async function findSchedule(queryable: Queryable, { applicationId, operator, account }: Balance): Promise<Schedule | undefined> {
  const { rows } = await queryable.query<Schedule>(`${SCHEDULE} where s.application_id = $1 and s.operator = $2 and s.account = $3`, [
    applicationId,
    operator,
    account,
  ])
  return rows[0]
}

/** Stores the schedule of a balance; null removes it. */
export async function storeSchedule(
  trx: TrxClient,
  { applicationId, operator, account }: Balance,
  terms: (ScheduleTerms & { proposedBy: string; confirmedBy: string }) | null,
): Promise<void> {
  const values = [applicationId, operator, account]
  await trx.query('delete from withdrawal_schedules where application_id = $1 and operator = $2 and account = $3', values)
  if (terms === null) return
  const { bankAccountId, every, weekday, monthDay, minute, keepMinor, proposedBy, confirmedBy } = terms
  await trx.query(
    `insert into withdrawal_schedules (application_id, operator, account, bank_account_id, every, weekday, month_day, minute, keep_minor, proposed_by,
                                       confirmed_by)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [...values, bankAccountId, every, weekday, monthDay, minute, keepMinor, proposedBy, confirmedBy],
  )
}

export type Run = Balance & { dueAt: Date; outcome: RunOutcome; reason: string | null; amountMinor: bigint | null; changeId: string | null }

/** Stores what became of one time of a schedule. */
export async function insertRun(trx: TrxClient, run: Run): Promise<void> {
  await trx.query(
    `insert into withdrawal_runs (application_id, operator, account, due_at, outcome, reason, amount_minor, change_id)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [run.applicationId, run.operator, run.account, run.dueAt, run.outcome, run.reason, run.amountMinor, run.changeId],
  )
}

/** Whether one time of a schedule was run. */
export async function isRun(queryable: Queryable, { applicationId, operator, account }: Balance, dueAt: Date): Promise<boolean> {
  const { rowCount } = await queryable.query(
    'select 1 from withdrawal_runs where application_id = $1 and operator = $2 and account = $3 and due_at = $4',
    [applicationId, operator, account, dueAt],
  )
  return rowCount === 1
}

/** The newest runs of each schedule of an application. */
export async function listRuns(queryable: Queryable, applicationId: string, countMax: number): Promise<Run[]> {
  const { rows } = await queryable.query<Run>(
    `select r.* from withdrawal_schedules s cross join lateral (
        select r.application_id as "applicationId", r.operator, r.account, r.due_at as "dueAt", r.outcome, r.reason, r.amount_minor as "amountMinor",
               r.change_id as "changeId"
          from withdrawal_runs r where r.application_id = s.application_id and r.operator = s.operator and r.account = s.account
         order by r.due_at desc limit $2) r
      where s.application_id = $1`,
    [applicationId, countMax],
  )
  return rows
}

/** Whether a withdrawal of this balance waits for its confirmation. */
export async function isWithdrawalWaiting(queryable: Queryable, { applicationId, operator, account }: Balance): Promise<boolean> {
  const { rowCount } = await queryable.query(
    `select 1 from proposed_changes where application_id = $1 and kind = 'funding.withdrawal' and outcome is null and expires_at > now()
        and payload ->> 'operator' = $2 and payload ->> 'account' = $3 limit 1`,
    [applicationId, operator, account],
  )
  return rowCount === 1
}
