import type { ImportedPersonDto } from '#lib/beneficiaries/beneficiary-import.ts'
import { formatMinor } from '#lib/money/money.ts'
import type { Beneficiary } from '../beneficiary-store.ts'
import { effectOf } from './import-people.ts'
import type { ImportedPerson } from './imported-person.ts'

/** A person of a file as pages show them, beside the person in the book. */
export function toImportedDto(person: ImportedPerson, present: Beneficiary | null): ImportedPersonDto {
  const decimal = (amountMinor: string | bigint | null) => (amountMinor === null ? null : formatMinor(BigInt(amountMinor)))
  const { name, operator, phoneNumber, groupName, amountMinor } = person
  return {
    effect: present || person.beneficiaryId === null ? effectOf(person, present) : 'changed',
    ...{ name, operator, phoneNumber, groupName },
    amount: decimal(amountMinor),
    present: present && {
      name: present.name,
      operator: present.operator,
      phoneNumber: present.phoneNumber,
      groupName: present.groupName,
      amount: decimal(present.amountMinor),
    },
  }
}
