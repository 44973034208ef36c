import { MARKED_TABLES, type MadeRow } from '#e2e/attack/case.ts'
import type { Pool } from '#server/database/pool.ts'

/** Begins every text by which the attack recognises a row of its own; nothing else of the sandbox begins like this. */
export const MARK = 'attack '
/** Begins every number whose account the attack has checked: a number cannot have a text. */
export const MARKED_NUMBERS = '237659'

const BY_FILE_NAME = `file_name like '${MARK}%'`

/** The marks of the rows that exist, of each table. */
const MARKS: Readonly<Record<MadeRow['table'], string>> = {
  batches: `select file_name as mark from batches where ${BY_FILE_NAME}`,
  attachments: `select file_name as mark from attachments where ${BY_FILE_NAME}`,
  statement_files: `select file_name as mark from statement_files where ${BY_FILE_NAME}`,
  account_checks: `select phone_number as mark from account_checks where phone_number like '${MARKED_NUMBERS}%'`,
  'link payments': `select t.customer_name as mark from transactions t join payment_link_payments using (application_id, transaction_id)
    where t.customer_name like '${MARK}%'`,
}

const ofBatch = `exists (select from batches b where b.application_id = t.application_id and b.batch_id = t.batch_id and b.${BY_FILE_NAME})`
const ofAttachment = `exists (select from attachments a where a.application_id = t.application_id and a.file_id = t.file_id and a.${BY_FILE_NAME})`
const ofStatement = `exists (select from statement_files f where f.application_id = t.application_id and f.file_id = t.file_id and f.${BY_FILE_NAME})`

/** Rows that belong to marked ones, by table. All others of these tables must not change. */
export const OWN_ROWS: Readonly<Record<string, string>> = {
  batches: BY_FILE_NAME,
  batch_rows: ofBatch,
  attachments: BY_FILE_NAME,
  attachment_pieces: ofAttachment,
  statement_files: BY_FILE_NAME,
  statement_pieces: ofStatement,
  account_checks: `phone_number like '${MARKED_NUMBERS}%'`,
}

/** Transactions that belong to a marked batch or to a payment of a link: nobody chose their externalIds. */
export const OWN_TRANSACTIONS = `(${ofBatch} or (t.customer_name like '${MARK}%' and exists (select from payment_link_payments p
  where p.application_id = t.application_id and p.transaction_id = t.transaction_id)))`

/** Audit entries that a marked row explains: there are at most as many of them as rows that were accepted. */
const EXPLAINED: Readonly<Record<string, MadeRow['table']>> = {
  'batch.created': 'batches',
  'batch.submitted': 'batches',
  'batch.started': 'batches',
  'attachment.stored': 'attachments',
  'statement.uploaded': 'statement_files',
  'account.checked': 'account_checks',
}

type ToldRows = { acceptedRows: readonly MadeRow[]; uncertain: ReadonlySet<string> }

/** Marked rows that a refused request wrote, that are missing although theirs was accepted, or that are there twice. */
export async function checkMarkedRows(pool: Pool, { acceptedRows, uncertain }: ToldRows): Promise<string[]> {
  const problems: string[] = []
  for (const table of MARKED_TABLES) {
    const { rows } = await pool.query<{ mark: string }>(MARKS[table])
    const accepted = new Set(acceptedRows.filter((row) => row.table === table).map(({ mark }) => mark))
    const stored = new Set<string>()
    for (const { mark } of rows) {
      if (stored.has(mark)) problems.push(`"${mark}" is in ${table} twice`)
      stored.add(mark)
      if (!accepted.has(mark) && !uncertain.has(mark)) problems.push(`"${mark}" is in ${table}, and its request was refused`)
    }
    for (const mark of accepted) if (!stored.has(mark)) problems.push(`"${mark}" was accepted and is not in ${table}`)
  }
  return problems
}

/** Returns true if rows that were accepted, or whose requests were not answered, explain this number of audit entries. */
export function isExplained(action: string, times: number, { acceptedRows, uncertain }: ToldRows): boolean {
  const table = EXPLAINED[action]
  return table !== undefined && times <= acceptedRows.filter((row) => row.table === table).length + uncertain.size
}
