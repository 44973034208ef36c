import { randomUUIDv7 } from 'node:crypto'
import { countEffects, type ImportCounts, type ImportEffect } from '#lib/beneficiaries/beneficiary-import.ts'
import { err, type Result } from '#lib/result.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import { done, runCommand } from '#server/audit/run-command.ts'
import type { Database, Queryable } from '#server/database/pool.ts'
import type { Beneficiary } from '../beneficiary-store.ts'
import {
  countHolders,
  insertNumbers,
  insertPeople,
  lockByIds,
  type NumberedPerson,
  readByIds,
  type StoredPerson,
  updatePeople,
} from './import-store.ts'
import { digestOf, type ImportedPerson, isSameIdentity, isSameNumber, minorText } from './imported-person.ts'

type ImportRefusal = 'unknown_beneficiary' | 'number_in_book'

/** The effect of a file on each person and in all; `presentDigest` is of those who are in the book, as they are now. */
export type ImportEffects = { effects: ImportEffect[]; counts: ImportCounts; presentDigest: string }

/** Returns what people of a file would change now. Refuses if one of them has left the book, or somebody else has one of the numbers. */
export async function readEffects(
  queryable: Queryable,
  applicationId: string,
  people: readonly ImportedPerson[],
): Promise<Result<ImportEffects, ImportRefusal>> {
  return compare(queryable, applicationId, people, await readByIds(queryable, applicationId, idsOf(people)))
}

async function compare(
  queryable: Queryable,
  applicationId: string,
  people: readonly ImportedPerson[],
  book: ReadonlyMap<string, Beneficiary>,
): Promise<Result<ImportEffects, ImportRefusal>> {
  const ids = idsOf(people)
  if (ids.some((id) => !book.has(id))) return err('unknown_beneficiary')
  if ((await countHolders(queryable, applicationId, people)) > 0) return err('number_in_book')
  const effects = people.map((person) => effectOf(person, presentOf(book, person)))
  const present = ids.flatMap((id) => {
    const one = book.get(id)
    return one ? [{ ...one, amountMinor: minorText(one.amountMinor) }] : []
  })
  return { ok: true, value: { effects, counts: countEffects(effects.map((effect) => ({ effect }))), presentDigest: digestOf(present) } }
}

function idsOf(people: readonly ImportedPerson[]): string[] {
  return people.flatMap(({ beneficiaryId }) => beneficiaryId ?? [])
}

function presentOf(book: ReadonlyMap<string, Beneficiary>, { beneficiaryId }: ImportedPerson): Beneficiary | null {
  return beneficiaryId === null ? null : (book.get(beneficiaryId) ?? null)
}

/** The effect of a row on `present`, a person of the book; null: there is none, so the row adds somebody. */
export function effectOf(person: ImportedPerson, present: Beneficiary | null): ImportEffect {
  if (!present) return 'new'
  if (!isSameNumber(person, present)) return 'number'
  return isSameIdentity(person, present) ? 'place' : 'name'
}

type ImportPeople = {
  applicationId: string
  actor: PersonCommandActor
  changeId: string
  proposedBy: string
  fileSha256: string
  people: readonly ImportedPerson[]
}

/**
 * Brings people of a file into the book, all of them or nobody: new ones, other names and numbers, groups and amounts. A part of the transaction of the
 * change that two people agreed on, which holds the application. The number of statements does not depend on the number of people.
 */
export function importPeople(
  database: Database,
  { applicationId, actor, changeId, proposedBy, fileSha256, people }: ImportPeople,
): Promise<Result<void, 'not_permitted' | ImportRefusal>> {
  return runCommand<void, ImportRefusal>(database, { applicationId, actor }, 'beneficiary:confirm', async (trx) => {
    const book = await lockByIds(trx, applicationId, idsOf(people))
    const compared = await compare(trx, applicationId, people, book)
    if (!compared.ok) return compared
    const stored = people.map((person, index) => storedOf(person, compared.value.effects[index], book))
    const numbered = stored.filter(hasNumberId)
    await insertNumbers(trx, { applicationId, importId: changeId, proposedBy, confirmedBy: actor.id }, numbered)
    await updatePeople(
      trx,
      applicationId,
      stored.filter(({ beneficiaryId }) => book.has(beneficiaryId)),
    )
    await insertPeople(
      trx,
      applicationId,
      numbered.filter(({ beneficiaryId }) => !book.has(beneficiaryId)),
    )
    const details = { ...compared.value.counts, fileSha256, peopleSha256: digestOf(people) }
    return done({ action: 'beneficiary.imported', subject: changeId, details })
  })
}

/** Who keeps name and number keeps the change that set them, and the form in which the number was written. */
function storedOf(person: ImportedPerson, effect: ImportEffect | undefined, book: ReadonlyMap<string, Beneficiary>): StoredPerson {
  const present = presentOf(book, person)
  if (present && effect === 'place') {
    const { beneficiaryId, name, operator, phoneNumber } = present
    return { ...person, beneficiaryId, name, operator, phoneNumber, numberId: null }
  }
  const numberId = randomUUIDv7()
  return { ...person, numberId, beneficiaryId: person.beneficiaryId ?? numberId }
}

function hasNumberId(person: StoredPerson): person is NumberedPerson {
  return person.numberId !== null
}
