import { setImmediate as nextTurn } from 'node:timers/promises'
import { type BatchCell, type BatchColumns, cellText } from '#lib/batches/batch-fields.ts'
import { isPhoneRounded, readRow } from '#lib/batches/read-row.ts'
import { recogniseColumns } from '#lib/batches/recognise-columns.ts'
import { GROUP_NAME_MAX } from '#lib/beneficiaries/beneficiaries.ts'
import { IMPORTED_PEOPLE_MAX, type ImportProblem } from '#lib/beneficiaries/beneficiary-import.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import { phoneNumberForms } from '#lib/payments/phone-number.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { foldText } from '#lib/text/clean-text.ts'
import type { Queryable } from '#server/database/pool.ts'
import type { Beneficiary } from '../beneficiary-store.ts'
import { selectPresent } from './import-store.ts'
import { type ImportedPerson, isSameIdentity, minorText } from './imported-person.ts'

/** A row that is left out, with its cells as they are in the file. */
export type LeftOut = {
  rowNumber: number
  cells: Record<'name' | 'phoneNumber' | 'operator' | 'group' | 'amount', string>
  problem: ImportProblem
}

export type ReadPeople = {
  people: { person: ImportedPerson; present: Beneficiary | null }[]
  /** Rows that say what the book says. */
  unchanged: number
  /** Numbers to which the dial code was added. */
  dialCodes: number
  leftOut: LeftOut[]
}

type ImportFile = { headers: readonly string[]; rows: readonly { rowNumber: number; cells: readonly BatchCell[] }[] }
type Columns = { fields: BatchColumns; group: number | undefined }
/** A row that can be compared with the book. Null: its cell is empty, so the book keeps what it has. */
type ReadableRow = Omit<LeftOut, 'problem'> & { person: Omit<ImportedPerson, 'beneficiaryId'>; phoneKey: string; foldedName: string }

const GROUP_HEADERS = new Set([
  'group',
  'groups',
  'team',
  'department',
  'category',
  'groupe',
  'groupes',
  'equipe',
  'service',
  'departement',
  'categorie',
])

/**
 * Compares a file with the book and stores nothing. A row is about the person who has its number; failing that, about the only one who has its name.
 * Rows that cannot be read or attributed are left out, each with the reason. `unknown_columns`: no column, or more than one, is named as name or
 * number. `too_many_people`: more would change than a second person can look through.
 */
export async function readPeople(
  queryable: Queryable,
  applicationId: string,
  file: ImportFile,
  defaultOperator: OperatorCode | null,
): Promise<Result<ReadPeople, 'unknown_columns' | 'too_many_people'>> {
  const fields = recogniseColumns(file.headers, ['phoneNumber', 'customerName'])
  if (!fields) return err('unknown_columns')
  const group = file.headers.findIndex((header) => GROUP_HEADERS.has(foldText(header)))
  const columns = { fields, group: group < 0 ? undefined : group }
  const read: ReadPeople = { people: [], unchanged: 0, dialCodes: 0, leftOut: [] }
  const rows = await readRows(file, columns, defaultOperator, read)
  const book = await selectPresent(queryable, applicationId, rows)
  attribute(rows, book, read)
  read.leftOut.sort((one, other) => one.rowNumber - other.rowNumber)
  return read.people.length > IMPORTED_PEOPLE_MAX ? err('too_many_people') : ok(read)
}

/** Rows that are read before other work of the process goes on. */
const TURN_ROWS = 500

/** The rows that can be read, each number once; the others are added to `read.leftOut`. */
async function readRows(
  file: ImportFile,
  columns: Columns,
  defaultOperator: OperatorCode | null,
  read: ReadPeople,
): Promise<ReadableRow[]> {
  const rowsByPhone = new Map<string, number>()
  const rows: ReadableRow[] = []
  for (const [index, { rowNumber, cells }] of file.rows.entries()) {
    if (index % TURN_ROWS === 0) await nextTurn()
    const shown = { rowNumber, cells: shownCells(cells, columns) }
    const one = readOne(cells, shown.cells, columns, defaultOperator)
    if (!one.ok) {
      read.leftOut.push({ ...shown, problem: one.error })
      continue
    }
    const first = rowsByPhone.get(one.value.phoneKey)
    if (first !== undefined) {
      read.leftOut.push({ ...shown, problem: { kind: 'twice', row: first } })
      continue
    }
    rowsByPhone.set(one.value.phoneKey, rowNumber)
    if (one.value.isDialCodeAdded) read.dialCodes++
    rows.push({ ...shown, ...one.value })
  }
  return rows
}

function shownCells(cells: readonly BatchCell[], { fields, group }: Columns): LeftOut['cells'] {
  const textOf = (column: number | undefined) => (column === undefined ? '' : cellText(cells[column]).trim())
  return {
    name: textOf(fields.customerName),
    phoneNumber: textOf(fields.phoneNumber),
    operator: textOf(fields.operator),
    group: textOf(group),
    amount: textOf(fields.amount),
  }
}

type Readable = Pick<ReadableRow, 'person' | 'phoneKey' | 'foldedName'> & { isDialCodeAdded: boolean }

/** Reads a row as a file of payments is read, except that its amount may be empty and its purpose means nothing here. */
function readOne(
  cells: readonly BatchCell[],
  shown: LeftOut['cells'],
  { fields }: Columns,
  defaultOperator: OperatorCode | null,
): Result<Readable, ImportProblem> {
  const acceptedRepairs = new Set(['dial_code'] as const)
  const row = readRow(cells, {}, { columns: fields, defaultOperator, acceptedRepairs })
  const problem = row.problems.find(({ field, kind }) => field !== 'purpose' && kind !== 'amount_missing')
  if (problem) return err(problem)
  // A payment would be checked by its name; a number of the book is paid for years.
  if (isPhoneRounded(cells, {}, fields)) return err({ field: 'phoneNumber', kind: 'phone_digits_lost' })
  const { operator, phoneNumber, customerName, amountMinor } = row
  if (operator === null || phoneNumber === null || customerName === null) throw new Error('A row without a problem has all fields')
  const groupName = shown.group.replace(/\s+/gu, ' ') || null
  if (groupName !== null && groupName.length > GROUP_NAME_MAX) return err({ kind: 'group_length' })
  return ok({
    person: { name: customerName, operator, phoneNumber, groupName, amountMinor: amountMinor === null ? null : String(amountMinor) },
    phoneKey: phoneNumberForms(phoneNumber)[0],
    foldedName: foldText(customerName),
    isDialCodeAdded: row.repairs.some(({ kind }) => kind === 'dial_code'),
  })
}

/** Finds the person of each row: by the number first, so that a namesake of somebody in the file is never taken for them. */
function attribute(rows: readonly ReadableRow[], book: readonly Beneficiary[], read: ReadPeople): void {
  const names = new Set(book.map(({ name }) => foldText(name)))
  const byPhone = new Map(book.map((one) => [phoneNumberForms(one.phoneNumber)[0], one]))
  const named = new Set(rows.flatMap(({ phoneKey }) => byPhone.get(phoneKey)?.beneficiaryId ?? []))
  const unnamed = Map.groupBy(
    book.filter(({ beneficiaryId }) => !named.has(beneficiaryId)),
    ({ name }) => foldText(name),
  )
  const rest = rows.filter(({ phoneKey }) => !byPhone.has(phoneKey))
  const restByName = Map.groupBy(rest, ({ foldedName }) => foldedName)
  for (const row of rows) {
    const holder = byPhone.get(row.phoneKey)
    const namesakes = unnamed.get(row.foldedName) ?? []
    const isOther = holder !== undefined && foldText(holder.name) !== row.foldedName && names.has(row.foldedName)
    if (isOther) leaveOut(read, row, { kind: 'number_of_other', name: holder.name })
    else if (holder) take(read, row, holder)
    else if (namesakes.length > 1 || (namesakes.length === 1 && (restByName.get(row.foldedName) ?? []).length > 1)) {
      leaveOut(read, row, { kind: 'namesakes' })
    } else take(read, row, namesakes[0] ?? null)
  }
}

function leaveOut(read: ReadPeople, { rowNumber, cells }: ReadableRow, problem: ImportProblem): void {
  read.leftOut.push({ rowNumber, cells, problem })
}

function take(read: ReadPeople, { person }: ReadableRow, present: Beneficiary | null): void {
  const amountMinor = person.amountMinor ?? (present?.amountMinor == null ? null : String(present.amountMinor))
  const whole = { ...person, groupName: person.groupName ?? present?.groupName ?? null, amountMinor }
  if (present && isSame(whole, present)) read.unchanged++
  else read.people.push({ person: { ...whole, beneficiaryId: present?.beneficiaryId ?? null }, present })
}

function isSame(person: Omit<ImportedPerson, 'beneficiaryId'>, present: Beneficiary): boolean {
  return isSameIdentity(person, present) && person.groupName === present.groupName && person.amountMinor === minorText(present.amountMinor)
}
