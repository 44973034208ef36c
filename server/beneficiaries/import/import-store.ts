import { phoneNumberForms } from '#lib/payments/phone-number.ts'
import { foldText } from '#lib/text/clean-text.ts'
import type { Queryable, TrxClient } from '#server/database/pool.ts'
import type { Beneficiary } from '../beneficiary-store.ts'
import type { ImportedPerson } from './imported-person.ts'

const PERSON = `b.beneficiary_id as "beneficiaryId", b.name, b.operator, b.phone_number as "phoneNumber", b.group_name as "groupName",
  b.amount_minor as "amountMinor", b.archived_at is not null as "isArchived"`

/** The people in the book who have one of these numbers or names, in the order of their ids. */
export async function selectPresent(
  queryable: Queryable,
  applicationId: string,
  rows: readonly { phoneKey: string; foldedName: string }[],
): Promise<Beneficiary[]> {
  const { rows: people } = await queryable.query<Beneficiary>(
    `select ${PERSON} from beneficiaries b
      where b.application_id = $1 and b.archived_at is null and (b.phone_key = any($2::text[]) or b.folded_name = any($3::text[]))
      order by b.beneficiary_id`,
    [applicationId, rows.map(({ phoneKey }) => phoneKey), rows.map(({ foldedName }) => foldedName)],
  )
  return people
}

/** The people of a change who are in the book, by their ids. */
export async function readByIds(queryable: Queryable, applicationId: string, ids: readonly string[]): Promise<Map<string, Beneficiary>> {
  const { rows } = await queryable.query<Beneficiary>(
    `select ${PERSON} from beneficiaries b where b.application_id = $1 and b.beneficiary_id = any($2::uuid[]) and b.archived_at is null`,
    [applicationId, ids],
  )
  return new Map(rows.map((row) => [row.beneficiaryId, row]))
}

/** The same, each row held until the end of the database transaction; in the order of ids, so that two imports never wait for each other. */
export async function lockByIds(trx: TrxClient, applicationId: string, ids: readonly string[]): Promise<Map<string, Beneficiary>> {
  const { rows } = await trx.query<Beneficiary>(
    `select ${PERSON} from beneficiaries b where b.application_id = $1 and b.beneficiary_id = any($2::uuid[]) and b.archived_at is null
      order by b.beneficiary_id for update`,
    [applicationId, ids],
  )
  return new Map(rows.map((row) => [row.beneficiaryId, row]))
}

/** How many people in the book have one of these numbers, besides those who keep theirs. */
export async function countHolders(
  queryable: Queryable,
  applicationId: string,
  people: readonly Pick<ImportedPerson, 'beneficiaryId' | 'phoneNumber'>[],
): Promise<number> {
  const { rows } = await queryable.query<{ count: number }>(
    `select count(*)::integer as count
       from unnest($2::uuid[], $3::text[]) p (beneficiary_id, phone_key)
         join beneficiaries b on b.application_id = $1 and b.phone_key = p.phone_key and b.archived_at is null
      where p.beneficiary_id is distinct from b.beneficiary_id`,
    [applicationId, people.map(({ beneficiaryId }) => beneficiaryId), people.map(({ phoneNumber }) => phoneNumberForms(phoneNumber)[0])],
  )
  return rows[0]?.count ?? 0
}

/** A person with the ids of the row of the history, if they get one, and of the person in the book, who may be new. */
export type StoredPerson = Omit<ImportedPerson, 'beneficiaryId'> & { numberId: string | null; beneficiaryId: string }
export type NumberedPerson = StoredPerson & { numberId: string }
type Agreed = { applicationId: string; importId: string; proposedBy: string; confirmedBy: string }

/** Stores whom two people agreed on in one change, in one statement. */
export async function insertNumbers(trx: TrxClient, agreed: Agreed, people: readonly NumberedPerson[]): Promise<void> {
  await trx.query(
    `insert into beneficiary_numbers (application_id, change_id, beneficiary_id, name, operator, phone_number, phone_key, proposed_by, confirmed_by, import_id)
       select $1, p.number_id, p.beneficiary_id, p.name, p.operator, p.phone_number, p.phone_key, $8, $9, $10
         from unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[])
           p (number_id, beneficiary_id, name, operator, phone_number, phone_key)`,
    [...identityColumns(agreed.applicationId, people), agreed.proposedBy, agreed.confirmedBy, agreed.importId],
  )
}

export async function insertPeople(trx: TrxClient, applicationId: string, people: readonly NumberedPerson[]): Promise<void> {
  await trx.query(
    `insert into beneficiaries (application_id, change_id, beneficiary_id, name, operator, phone_number, phone_key, folded_name, group_name, amount_minor)
       select $1, p.* from unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::bigint[]) p`,
    [...identityColumns(applicationId, people), ...placeColumns(people)],
  )
}

export async function updatePeople(trx: TrxClient, applicationId: string, people: readonly StoredPerson[]): Promise<void> {
  await trx.query(
    `update beneficiaries b set change_id = coalesce(p.number_id, b.change_id), name = p.name, operator = p.operator, phone_number = p.phone_number, phone_key = p.phone_key,
         folded_name = p.folded_name, group_name = p.group_name, amount_minor = p.amount_minor, changed_at = clock_timestamp()
       from unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::bigint[])
         p (number_id, beneficiary_id, name, operator, phone_number, phone_key, folded_name, group_name, amount_minor)
      where b.application_id = $1 and b.beneficiary_id = p.beneficiary_id`,
    [...identityColumns(applicationId, people), ...placeColumns(people)],
  )
}

function identityColumns(applicationId: string, people: readonly StoredPerson[]) {
  return [
    applicationId,
    people.map(({ numberId }) => numberId),
    people.map(({ beneficiaryId }) => beneficiaryId),
    people.map(({ name }) => name),
    people.map(({ operator }) => operator),
    people.map(({ phoneNumber }) => phoneNumber),
    people.map(({ phoneNumber }) => phoneNumberForms(phoneNumber)[0]),
  ]
}

function placeColumns(people: readonly StoredPerson[]) {
  return [people.map(({ name }) => foldText(name)), people.map(({ groupName }) => groupName), people.map(({ amountMinor }) => amountMinor)]
}
