import type { ImportedPersonDto } from '#lib/beneficiaries/beneficiary-import.ts'
import type { Beneficiary } from '#server/beneficiaries/beneficiary-store.ts'
import { readByIds } from '#server/beneficiaries/import/import-store.ts'
import { toImportedDto } from '#server/beneficiaries/import/imported-dto.ts'
import type { Queryable } from '#server/database/pool.ts'
import { readPayload } from './change-store.ts'
import { importedPeopleChangeSchema } from './kinds/beneficiary-kinds.ts'

/**
 * Returns the people of a change by a file, in the order of the file: while it waits, each beside what the book says now. Undefined if there is no such
 * change by a file.
 */
export async function readImportedPeople(
  queryable: Queryable,
  applicationId: string,
  changeId: string,
): Promise<ImportedPersonDto[] | undefined> {
  const stored = await readPayload(queryable, applicationId, changeId, 'beneficiary.import')
  if (!stored) return undefined
  const { people } = importedPeopleChangeSchema.parse(stored.payload)
  const ids = people.flatMap(({ beneficiaryId }) => beneficiaryId ?? [])
  const book = stored.isUndecided ? await readByIds(queryable, applicationId, ids) : new Map<string, Beneficiary>()
  return people.map((person) => toImportedDto(person, person.beneficiaryId === null ? null : (book.get(person.beneficiaryId) ?? null)))
}
