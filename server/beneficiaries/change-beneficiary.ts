import { err, type Result } from '#lib/result.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import { done, runCommand } from '#server/audit/run-command.ts'
import type { Database } from '#server/database/pool.ts'
import {
  findHolder,
  type Identity,
  insertBeneficiary,
  insertNumber,
  lockBeneficiary,
  updateArchived,
  updateIdentity,
  updatePlace,
} from './beneficiary-store.ts'

type Confirmed = { applicationId: string; actor: PersonCommandActor; changeId: string; proposedBy: string; identity: Identity }
/** The group of a person, and what a payment of the group pays them. */
type Place = { groupName: string | null; amountMinor: bigint | null }
type ByOnePerson = { applicationId: string; actor: PersonCommandActor; beneficiaryId: string }

/** Adds a person whom two people agreed on; their id is that of the change. A part of the transaction of that change, which holds the application. */
export function addBeneficiary(
  database: Database,
  { applicationId, actor, changeId, proposedBy, identity, groupName, amountMinor }: Confirmed & Place,
): Promise<Result<void, 'not_permitted' | 'number_in_book'>> {
  return runCommand<void, 'number_in_book'>(database, { applicationId, actor }, 'beneficiary:confirm', async (trx) => {
    if (await findHolder(trx, applicationId, identity.phoneNumber)) return err('number_in_book')
    const row = { applicationId, beneficiaryId: changeId, changeId, ...identity, proposedBy, confirmedBy: actor.id }
    await insertNumber(trx, row)
    await insertBeneficiary(trx, { ...row, groupName, amountMinor })
    return done({ action: 'beneficiary.added', subject: changeId, details: { ...identity, ...placeDetails({ groupName, amountMinor }) } })
  })
}

/** Gives a person the name, operator and number that two people agreed on. The earlier ones stay in the history, by which lists are repeated. */
export function setIdentity(
  database: Database,
  { applicationId, actor, changeId, proposedBy, beneficiaryId, identity }: Confirmed & { beneficiaryId: string },
): Promise<Result<void, 'not_permitted' | 'unknown_beneficiary' | 'number_in_book'>> {
  return runCommand<void, 'unknown_beneficiary' | 'number_in_book'>(
    database,
    { applicationId, actor },
    'beneficiary:confirm',
    async (trx) => {
      const present = await lockBeneficiary(trx, { applicationId, beneficiaryId })
      if (!present || present.isArchived) return err('unknown_beneficiary')
      const holder = await findHolder(trx, applicationId, identity.phoneNumber)
      if (holder && holder.beneficiaryId !== beneficiaryId) return err('number_in_book')
      const row = { applicationId, beneficiaryId, changeId, ...identity, proposedBy, confirmedBy: actor.id }
      await insertNumber(trx, row)
      await updateIdentity(trx, row)
      const details = { ...identity, nameBefore: present.name, operatorBefore: present.operator, phoneNumberBefore: present.phoneNumber }
      return done({ action: 'beneficiary.set', subject: beneficiaryId, details })
    },
  )
}

/** Changes group and amount of a person. One person may: every list is still approved with its amounts, and neither says who is paid. */
export function changePlace(
  database: Database,
  { applicationId, actor, beneficiaryId, groupName, amountMinor }: ByOnePerson & Place,
): Promise<Result<void, 'not_permitted' | 'not_found'>> {
  return runCommand<void, 'not_found'>(database, { applicationId, actor }, 'beneficiary:change', async (trx) => {
    const present = await lockBeneficiary(trx, { applicationId, beneficiaryId })
    if (!present || present.isArchived) return err('not_found')
    if (present.groupName === groupName && present.amountMinor === amountMinor) return done(null)
    await updatePlace(trx, { applicationId, beneficiaryId, groupName, amountMinor })
    const [before, after] = [placeDetails(present), placeDetails({ groupName, amountMinor })]
    const details = { name: present.name, ...after, groupBefore: before.group, amountMinorBefore: before.amountMinor }
    return done({ action: 'beneficiary.changed', subject: beneficiaryId, details })
  })
}

/**
 * Takes a person out of the book, or back into it with the name and number that two people agreed on. Their number is free as long as they are
 * archived; if another person has it meanwhile, they cannot return with it.
 */
export function setArchived(
  database: Database,
  { applicationId, actor, beneficiaryId, isArchived }: ByOnePerson & { isArchived: boolean },
): Promise<Result<void, 'not_permitted' | 'not_found' | 'number_in_book'>> {
  return runCommand<void, 'not_found' | 'number_in_book'>(database, { applicationId, actor }, 'beneficiary:change', async (trx) => {
    const present = await lockBeneficiary(trx, { applicationId, beneficiaryId })
    if (!present) return err('not_found')
    if (present.isArchived === isArchived) return done(null)
    if (!isArchived && (await findHolder(trx, applicationId, present.phoneNumber))) return err('number_in_book')
    await updateArchived(trx, { applicationId, beneficiaryId, archivedBy: isArchived ? actor.id : null })
    const { name, operator, phoneNumber } = present
    const details = { name, operator, phoneNumber }
    return done({ action: isArchived ? 'beneficiary.archived' : 'beneficiary.returned', subject: beneficiaryId, details })
  })
}

function placeDetails({ groupName, amountMinor }: Place): { group: string; amountMinor: string } {
  return { group: groupName ?? '', amountMinor: amountMinor === null ? '' : String(amountMinor) }
}
