import type { BatchWords } from '#lib/batches/batches.ts'
import { type ImportPreviewDto, importProblemText } from '#lib/beneficiaries/beneficiary-import.ts'
import { toImportedDto } from '#server/beneficiaries/import/imported-dto.ts'
import { digestOf } from '#server/beneficiaries/import/imported-person.ts'
import type { LeftOut, ReadPeople } from '#server/beneficiaries/import/read-people.ts'
import { tableHead, tableLines } from '../export/csv.ts'

/** The changes of a file of beneficiaries for the person who proposes it, with the rows that are left out in that person's language. */
export function previewPeople(words: BatchWords, { people, unchanged, dialCodes, leftOut }: ReadPeople): ImportPreviewDto {
  const problems = leftOut.map((row) => ({ ...row, reason: importProblemText(words, row.problem) }))
  return {
    digest: digestOf(people.map(({ person }) => person)),
    people: people.map(({ person, present }) => toImportedDto(person, present)),
    unchanged,
    dialCodes,
    problems: problems.map(({ rowNumber, cells: { name, phoneNumber }, reason }) => ({ rowNumber, name, phoneNumber, reason })),
    problemFile: writeProblemFile(words, problems),
  }
}

/** The rows that are left out, as CSV: its first columns have headers that are recognised, so that the file can be corrected and imported again. */
function writeProblemFile({ t }: BatchWords, problems: readonly (LeftOut & { reason: string })[]): string {
  const heads = ['name', 'number', 'operator', 'group', 'amount'] as const
  const lines = problems.map(({ rowNumber, cells: { name, phoneNumber, operator, group, amount }, reason }) =>
    [name, phoneNumber, operator, group, amount, String(rowNumber), reason].map((text) => ({ text })),
  )
  const row = [t('beneficiaries.import.row'), t('beneficiaries.import.reason')]
  return tableHead([...heads.map((head) => t(`beneficiaries.${head}`)), ...row]) + tableLines(lines)
}
