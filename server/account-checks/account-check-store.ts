import { ACCOUNT_ANSWERS, type AccountAnswer } from '#lib/operators/account-check.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import type { Queryable } from '#server/database/pool.ts'
import { keyringOfProcess } from '#server/secrets-at-rest/keyring.ts'
import { holderNamePlace } from '#server/secrets-at-rest/sealed-columns.ts'

/** Who asks: a person of the application, or one of its API users. */
export type Asker = { kind: 'person' | 'api'; id: string }

export type Account = { operator: OperatorCode; phoneNumber: string }

/** By the database's clock, which all processes share. */
const DAY_AGO = `clock_timestamp() - interval '24 hours'`

type StoredAnswer = Account & { answer: AccountAnswer; holderName: string | null; checkedAt: Date }

/** Holds the checks of an application until the transaction ends: of two at the same moment, the second counts the first. */
export async function lockChecks(trx: Queryable, applicationId: string): Promise<void> {
  await trx.query(`select pg_advisory_xact_lock(hashtext('countersign.account_checks'), hashtext($1))`, [applicationId])
}

/** Returns the newest answer about each of these accounts within 24 hours, of this application. Accounts that nobody asked about are missing. */
export async function selectAnswers(queryable: Queryable, applicationId: string, accounts: readonly Account[]): Promise<StoredAnswer[]> {
  const { rows } = await queryable.query<StoredAnswer & { id: string }>({
    name: 'select_account_answers',
    text: `select c.id, n.operator, n.phone_number as "phoneNumber", c.answer, c.holder_name as "holderName", c.asked_at as "checkedAt"
      from (select distinct operator, phone_number from unnest($2::text[], $3::text[]) as u (operator, phone_number)) n
        cross join lateral (select account_check_id as id, answer, holder_name, asked_at from account_checks
          where application_id = $1 and phone_number = n.phone_number and operator = n.operator and asked_at > ${DAY_AGO} and answer = any ($4)
          order by asked_at desc, account_check_id limit 1) c`,
    values: [applicationId, accounts.map(({ operator }) => operator), accounts.map(({ phoneNumber }) => phoneNumber), ACCOUNT_ANSWERS],
  })
  return rows.map(({ id, holderName, ...answer }) => ({
    ...answer,
    holderName: holderName === null ? null : keyringOfProcess().open(holderNamePlace(applicationId, id), holderName),
  }))
}

/** Returns how many checks the application may use; 0 if there is no such application. */
export async function readChecksMax(queryable: Queryable, applicationId: string): Promise<number> {
  const { rows } = await queryable.query<{ max: number }>('select account_checks_max as max from applications where application_id = $1', [
    applicationId,
  ])
  return rows[0]?.max ?? 0
}

/** Returns until when the `nth` newest check within 24 hours counts, of the application, of one asker or of one file; undefined if there are fewer. */
export async function findLimitEnd(
  queryable: Queryable,
  applicationId: string,
  { asker, batchId, nth }: { asker: Asker | null; batchId: string | null; nth: number },
): Promise<Date | undefined> {
  const { rows } = await queryable.query<{ at: Date }>({
    name: 'find_account_check_limit_end',
    text: `select asked_at + interval '24 hours' as at from account_checks
             where application_id = $1 and asked_at > ${DAY_AGO} and ($2::text is null or (asked_by_kind = $2 and asked_by = $3))
               and ($5::uuid is null or batch_id = $5)
             order by asked_at desc offset $4 limit 1`,
    values: [applicationId, asker?.kind ?? null, asker?.id ?? null, nth - 1, batchId],
  })
  return rows[0]?.at
}

export async function insertCheck(
  trx: Queryable,
  applicationId: string,
  { id, asker, operator, phoneNumber, batchId = null }: Account & { id: string; asker: Asker; batchId?: string | null },
): Promise<Date> {
  const { rows } = await trx.query<{ at: Date }>(
    `insert into account_checks (application_id, account_check_id, operator, phone_number, asked_by_kind, asked_by, asked_at, batch_id)
       values ($1, $2, $3, $4, $5, $6, clock_timestamp(), $7) returning asked_at as at`,
    [applicationId, id, operator, phoneNumber, asker.kind, asker.id, batchId],
  )
  const [row] = rows
  if (!row) throw new Error('An insertion returned no row')
  return row.at
}

/** Stores what the operator answered; the masked name is encrypted. */
export async function storeAnswer(
  queryable: Queryable,
  applicationId: string,
  { id, answer, holderName }: { id: string; answer: AccountAnswer | 'unknown'; holderName: string | null },
): Promise<void> {
  const sealed = holderName === null ? null : keyringOfProcess().seal(holderNamePlace(applicationId, id), holderName)
  await queryable.query('update account_checks set answer = $3, holder_name = $4 where application_id = $1 and account_check_id = $2', [
    applicationId,
    id,
    answer,
    sealed,
  ])
}

export async function removeChecks(queryable: Queryable): Promise<void> {
  await queryable.query(`delete from account_checks where asked_at <= ${DAY_AGO}`)
}
