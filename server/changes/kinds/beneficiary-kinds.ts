import { z } from 'zod'
import { BENEFICIARY_NAME_MAX, GROUP_NAME_MAX, isNumberOf } from '#lib/beneficiaries/beneficiaries.ts'
import { OPERATOR_CODES } from '#lib/operators/operators.ts'
import { cleanPhone, phoneNumberForms } from '#lib/payments/phone-number.ts'
import { err, ok } from '#lib/result.ts'
import { minor, text } from '#lib/schemas/proposal.ts'
import { findBeneficiary, findHolder } from '#server/beneficiaries/beneficiary-store.ts'
import { addBeneficiary, setIdentity } from '#server/beneficiaries/change-beneficiary.ts'
import { type ChangeKind, defineKind } from '../change-kind.ts'

const identity = {
  name: text(BENEFICIARY_NAME_MAX).min(1),
  operator: z.enum(OPERATOR_CODES),
  phoneNumber: z.string().max(40).transform(cleanPhone),
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
    groupName: text(GROUP_NAME_MAX).min(1).nullable(),
    amountMinor: minor.refine((amount) => BigInt(amount) > 0n).nullable(),
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

export const BENEFICIARY_KINDS = { 'beneficiary.add': add, 'beneficiary.set': set }
