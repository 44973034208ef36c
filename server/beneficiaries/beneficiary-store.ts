import { BENEFICIARY_PAGE_SIZE, type BeneficiaryGroup } from '#lib/beneficiaries/beneficiaries.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import { phoneNumberForms } from '#lib/payments/phone-number.ts'
import { foldText } from '#lib/text/clean-text.ts'
import { runQuery, sql } from '#server/database/compose-sql.ts'
import type { Queryable, TrxClient } from '#server/database/pool.ts'

/** Whom a list pays: what two people agree on. */
export type Identity = { name: string; operator: OperatorCode; phoneNumber: string }

/** A person in the book; the amount in hundredths. */
export type Beneficiary = Identity & {
  beneficiaryId: string
  groupName: string | null
  amountMinor: bigint | null
  isArchived: boolean
}

type Key = { applicationId: string; beneficiaryId: string }

const BENEFICIARY = `b.beneficiary_id as "beneficiaryId", b.name, b.operator, b.phone_number as "phoneNumber", b.group_name as "groupName",
  b.amount_minor as "amountMinor", b.archived_at is not null as "isArchived"`

export async function findBeneficiary(queryable: Queryable, { applicationId, beneficiaryId }: Key): Promise<Beneficiary | undefined> {
  const { rows } = await queryable.query<Beneficiary>(
    `select ${BENEFICIARY} from beneficiaries b where b.application_id = $1 and b.beneficiary_id = $2`,
    [applicationId, beneficiaryId],
  )
  return rows[0]
}

/** Reads a person and holds the row until the end of the database transaction. */
export async function lockBeneficiary(trx: TrxClient, { applicationId, beneficiaryId }: Key): Promise<Beneficiary | undefined> {
  const { rows } = await trx.query<Beneficiary>(
    `select ${BENEFICIARY} from beneficiaries b where b.application_id = $1 and b.beneficiary_id = $2 for update`,
    [applicationId, beneficiaryId],
  )
  return rows[0]
}

/** Who has this number in the book now, in either of its forms; an archived person has none. */
export async function findHolder(queryable: Queryable, applicationId: string, phoneNumber: string): Promise<Beneficiary | undefined> {
  const { rows } = await queryable.query<Beneficiary>(
    `select ${BENEFICIARY} from beneficiaries b where b.application_id = $1 and b.phone_key = $2 and b.archived_at is null`,
    [applicationId, phoneNumberForms(phoneNumber)[0]],
  )
  return rows[0]
}

type Confirmed = Key & Identity & { changeId: string; proposedBy: string; confirmedBy: string }

/** Stores whom two people agreed on. Only what is here can be in the book. */
export async function insertNumber(trx: TrxClient, row: Confirmed): Promise<void> {
  await trx.query(
    `insert into beneficiary_numbers (application_id, change_id, beneficiary_id, name, operator, phone_number, phone_key, proposed_by, confirmed_by)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      row.applicationId,
      row.changeId,
      row.beneficiaryId,
      row.name,
      row.operator,
      row.phoneNumber,
      phoneNumberForms(row.phoneNumber)[0],
      row.proposedBy,
      row.confirmedBy,
    ],
  )
}

export async function insertBeneficiary(
  trx: TrxClient,
  row: Confirmed & { groupName: string | null; amountMinor: bigint | null },
): Promise<void> {
  await trx.query(
    `insert into beneficiaries (application_id, beneficiary_id, change_id, name, operator, phone_number, phone_key, folded_name, group_name, amount_minor)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [...factsOf(row), row.groupName, row.amountMinor],
  )
}

export async function updateIdentity(trx: TrxClient, row: Confirmed): Promise<void> {
  await trx.query(
    `update beneficiaries set change_id = $3, name = $4, operator = $5, phone_number = $6, phone_key = $7, folded_name = $8,
         changed_at = clock_timestamp()
       where application_id = $1 and beneficiary_id = $2`,
    factsOf(row),
  )
}

function factsOf({ applicationId, beneficiaryId, changeId, name, operator, phoneNumber }: Confirmed): string[] {
  return [applicationId, beneficiaryId, changeId, name, operator, phoneNumber, phoneNumberForms(phoneNumber)[0], foldText(name)]
}

export async function updatePlace(
  trx: TrxClient,
  { applicationId, beneficiaryId, groupName, amountMinor }: Key & { groupName: string | null; amountMinor: bigint | null },
): Promise<void> {
  await trx.query(
    `update beneficiaries set group_name = $3, amount_minor = $4, changed_at = clock_timestamp() where application_id = $1 and beneficiary_id = $2`,
    [applicationId, beneficiaryId, groupName, amountMinor],
  )
}

/** `archivedBy` null: the person is in the book again. */
export async function updateArchived(
  trx: TrxClient,
  { applicationId, beneficiaryId, archivedBy }: Key & { archivedBy: string | null },
): Promise<void> {
  await trx.query(
    `update beneficiaries set archived_by = $3, archived_at = case when $3::uuid is null then null else clock_timestamp() end,
         changed_at = clock_timestamp()
       where application_id = $1 and beneficiary_id = $2`,
    [applicationId, beneficiaryId, archivedBy],
  )
}

type BookFilter = { q: string | undefined; group: string | undefined; isArchived: boolean; page: number }

/** One page of the book in the order of names, and how many people the filter finds. */
export async function selectPage(
  queryable: Queryable,
  applicationId: string,
  { q = '', group, isArchived, page }: BookFilter,
): Promise<{ rows: Beneficiary[]; total: number }> {
  const [name, digits] = [foldText(q), q.replace(/\D/g, '')]
  const found = sql`b.application_id = ${applicationId} and (b.archived_at is not null) = ${isArchived}
    and (${group ?? null}::text is null or b.group_name = ${group ?? null})
    and (${q} = '' or ${name} <> '' and position(${name} in b.folded_name) > 0
         or ${digits} <> '' and (position(${digits} in b.phone_number) > 0 or position(${digits} in b.phone_key) > 0))`
  const [rows, [counted]] = [
    await runQuery<Beneficiary>(
      queryable,
      sql`select b.beneficiary_id as "beneficiaryId", b.name, b.operator, b.phone_number as "phoneNumber", b.group_name as "groupName",
            b.amount_minor as "amountMinor", b.archived_at is not null as "isArchived"
          from beneficiaries b where ${found} order by b.folded_name, b.beneficiary_id
          limit ${BENEFICIARY_PAGE_SIZE} offset ${page * BENEFICIARY_PAGE_SIZE}`,
    ),
    await runQuery<{ total: number }>(queryable, sql`select count(*)::integer as total from beneficiaries b where ${found}`),
  ]
  return { rows, total: counted?.total ?? 0 }
}

/** The groups that have people, by name. */
export async function listGroups(queryable: Queryable, applicationId: string): Promise<BeneficiaryGroup[]> {
  const { rows } = await queryable.query<BeneficiaryGroup>(
    `select group_name as "groupName", count(*)::integer as count from beneficiaries
      where application_id = $1 and group_name is not null and archived_at is null group by group_name order by group_name`,
    [applicationId],
  )
  return rows
}

/** The people of a group who are not archived, in the order of names. */
export async function listMembers(
  queryable: Queryable,
  applicationId: string,
  groupName: string,
  countMax: number,
): Promise<Beneficiary[]> {
  const { rows } = await queryable.query<Beneficiary>(
    `select ${BENEFICIARY} from beneficiaries b where b.application_id = $1 and b.group_name = $2 and b.archived_at is null
      order by b.folded_name, b.beneficiary_id limit $3`,
    [applicationId, groupName, countMax],
  )
  return rows
}

/** People in the book by a part of the name or the start of the number. */
export async function listByText(queryable: Queryable, applicationId: string, typed: string, countMax: number): Promise<Beneficiary[]> {
  const [name, digits] = [foldText(typed), /\p{L}/u.test(typed) ? '' : typed.replace(/\D/g, '')]
  const { rows } = await queryable.query<Beneficiary>(
    `select ${BENEFICIARY} from beneficiaries b where b.application_id = $1 and b.archived_at is null
        and (case when $3 = '' then $2 <> '' and (' ' || b.folded_name) like '% ' || $2 || '%' else starts_with(b.phone_number, $3) or starts_with(b.phone_key, $3) end)
      order by b.folded_name, b.beneficiary_id limit $4`,
    [applicationId, name, digits, countMax],
  )
  return rows
}
