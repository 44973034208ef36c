import { z } from 'zod'
import { BENEFICIARY_NAME_MAX, GROUP_NAME_MAX, isNumberOf } from '#lib/beneficiaries/beneficiaries.ts'
import { IMPORTED_PEOPLE_MAX } from '#lib/beneficiaries/beneficiary-import.ts'
import { OPERATOR_CODES } from '#lib/operators/operators.ts'
import { cleanPhone, phoneNumberForms } from '#lib/payments/phone-number.ts'
import { err, ok } from '#lib/result.ts'
import { minor, text } from '#lib/schemas/proposal.ts'
import { findBeneficiary, findHolder } from '#server/beneficiaries/beneficiary-store.ts'
import { addBeneficiary, setIdentity } from '#server/beneficiaries/change-beneficiary.ts'
import { importPeople, readEffects } from '#server/beneficiaries/import/import-people.ts'
import { type ChangeKind, defineKind } from '../change-kind.ts'

const identity = {
  name: text(BENEFICIARY_NAME_MAX).min(1),
  operator: z.enum(OPERATOR_CODES),
  phoneNumber: z.string().max(40).transform(cleanPhone),
}

const place = {
  groupName: text(GROUP_NAME_MAX).min(1).nullable(),
  amountMinor: minor.refine((amount) => BigInt(amount) > 0n).nullable(),
}

/** The content of a change by a file. */
export const importedPeopleChangeSchema = z.strictObject({
  fileName: text(200).min(1),
  fileSha256: z.string().regex(/^[0-9a-f]{64}$/),
  people: z
    .array(z.strictObject({ beneficiaryId: z.uuid().nullable(), ...identity, ...place }))
    .min(1)
    .max(IMPORTED_PEOPLE_MAX)
    // A person or a number twice would be two rows that contradict each other.
    .refine((people) => isEachOnce(people.flatMap(({ beneficiaryId }) => beneficiaryId ?? [])))
    .refine((people) => isEachOnce(people.map(({ phoneNumber }) => phoneNumberForms(phoneNumber)[0]))),
})

function isEachOnce(texts: readonly string[]): boolean {
  return new Set(texts).size === texts.length
}

const WRONG_NUMBER = { code: 'wrong_number', fields: { phoneNumber: 'wrong_number' } }
const IN_BOOK = { code: 'number_in_book', fields: { phoneNumber: 'number_in_book' } }

/**
 * A person in the book. The first number needs two people like every later one: otherwise a person could archive somebody and add them again with
 * another number.
 */
const add: ChangeKind = defineKind({
  schema: z.strictObject({
    ...identity,
    ...place,
  }),
  subjectOf: ({ phoneNumber }) => phoneNumberForms(phoneNumber)[0],
  async read(queryable, applicationId, { name, operator, phoneNumber, groupName, amountMinor }) {
    if (!isNumberOf(operator, phoneNumber)) return err(WRONG_NUMBER)
    if (await findHolder(queryable, applicationId, phoneNumber)) return err(IN_BOOK)
    return ok({
      before: { about: name },
      after: { about: name, operator, mobileMoney: operator, phoneNumber, group: groupName, amountMinor },
    })
  },
  apply: (trx, { applicationId, changeId, actor, proposedBy, payload: { groupName, amountMinor, ...payload } }) =>
    addBeneficiary(trx, {
      applicationId,
      changeId,
      actor,
      proposedBy,
      identity: payload,
      groupName,
      amountMinor: amountMinor === null ? null : BigInt(amountMinor),
    }),
})

/** Name, operator and number of a person. The name needs two people too: lists show it to checkers as the person who is paid. */
const set: ChangeKind = defineKind({
  schema: z.strictObject({ beneficiaryId: z.uuid(), ...identity }),
  subjectOf: ({ beneficiaryId }) => beneficiaryId,
  async read(queryable, applicationId, { beneficiaryId, name, operator, phoneNumber }) {
    const present = await findBeneficiary(queryable, { applicationId, beneficiaryId })
    if (!present || present.isArchived) return err('unknown_beneficiary')
    if (!isNumberOf(operator, phoneNumber)) return err(WRONG_NUMBER)
    const holder = await findHolder(queryable, applicationId, phoneNumber)
    if (holder && holder.beneficiaryId !== beneficiaryId) return err(IN_BOOK)
    const about = present.name
    return ok({
      before: { about, name: present.name, mobileMoney: present.operator, phoneNumber: present.phoneNumber },
      after: { about, name, mobileMoney: operator, phoneNumber },
    })
  },
  apply: (trx, { applicationId, changeId, actor, proposedBy, payload: { beneficiaryId, ...payload } }) =>
    setIdentity(trx, { applicationId, changeId, actor, proposedBy, beneficiaryId, identity: payload }),
})

/**
 * People of a file, in one change: both people answer for every row of it. What would change is in the payload, which the page of the change shows row by
 * row; the digests make sure that it is confirmed only while the book says what it said then.
 */
const importKind: ChangeKind = defineKind({
  schema: importedPeopleChangeSchema,
  subjectOf: ({ fileSha256 }) => fileSha256,
  async read(queryable, applicationId, { fileName, fileSha256, people }) {
    if (people.some(({ operator, phoneNumber }) => !isNumberOf(operator, phoneNumber))) return err(WRONG_NUMBER)
    const read = await readEffects(queryable, applicationId, people)
    if (!read.ok) return err(read.error === 'number_in_book' ? IN_BOOK : read.error)
    const { counts, presentDigest } = read.value
    return ok({
      before: { about: fileName, presentSha256: presentDigest },
      after: {
        about: fileName,
        newPeople: counts.new || null,
        changedNumbers: counts.number || null,
        changedNames: counts.name || null,
        changedPlaces: counts.place || null,
        documentSha256: fileSha256,
      },
    })
  },
  apply: (trx, { applicationId, changeId, actor, proposedBy, payload: { fileSha256, people } }) =>
    importPeople(trx, { applicationId, changeId, actor, proposedBy, fileSha256, people }),
})

export const BENEFICIARY_KINDS = { 'beneficiary.add': add, 'beneficiary.set': set, 'beneficiary.import': importKind }
