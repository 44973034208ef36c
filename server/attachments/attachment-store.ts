import type { AttachmentDto, AttachmentType } from '#lib/payments/attachments.ts'
import type { Queryable, TrxClient } from '#server/database/pool.ts'
import type { FileKey, UploadTables } from '#server/uploads/piece-store.ts'

/** Where the mechanism of uploads finds attachments. */
export const ATTACHMENT_TABLES = { files: 'attachments', pieces: 'attachment_pieces' } as const satisfies UploadTables

/** The payment that a person is writing, by the external id that it will have. */
export type PaymentOwner = { applicationId: string; personId: string; externalId: string }

export type AttachmentFile = FileKey & {
  externalId: string
  uploadedBy: string
  fileName: string
  byteCount: bigint
  modifiedMs: bigint
  state: 'uploading' | 'attached'
}

const COLUMNS = `a.application_id as "applicationId", a.file_id as "fileId", a.external_id as "externalId", a.uploaded_by as "uploadedBy",
  a.file_name as "fileName", a.byte_count as "byteCount", a.modified_ms as "modifiedMs", a.state`

/** An attachment `a` as JSON, the form in which pages have it. */
const SHOWN = `json_build_object('fileName', a.file_name, 'mediaType', a.media_type, 'bytes', a.byte_count, 'sha256', encode(a.sha256, 'hex'),
  'isKept', exists (select from attachment_pieces p where p.application_id = a.application_id and p.file_id = a.file_id))`

/**
 * An attachment `a` of a transaction `t`: of the person who started it as a single payment. What a program or a file starts has none, even if
 * somebody guessed its external id before.
 */
const IS_OF_TRANSACTION = `a.application_id = t.application_id and a.external_id = t.external_id and a.uploaded_by = t.maker_id
  and a.state = 'attached' and t.source = 'person'`

/** The attachment of a transaction `t` as JSON, null without one, for the select list of other readers. */
export const ATTACHMENT_OF_TRANSACTION = `(select ${SHOWN} from attachments a where ${IS_OF_TRANSACTION})`

/** The attachment of a transaction; undefined if it has none. */
export async function findAttachmentOf(
  queryable: Queryable,
  applicationId: string,
  transactionId: string,
): Promise<AttachmentDto | undefined> {
  return (await findFileOf(queryable, applicationId, transactionId))?.shown
}

/** The same with the name under which its pieces are stored. */
export async function findFileOf(
  queryable: Queryable,
  applicationId: string,
  transactionId: string,
): Promise<{ fileId: string; shown: AttachmentDto } | undefined> {
  const { rows } = await queryable.query<{ fileId: string; shown: AttachmentDto }>({
    name: 'find_attachment_of',
    text: `select a.file_id as "fileId", ${SHOWN} as shown from transactions t join attachments a on ${IS_OF_TRANSACTION}
            where t.application_id = $1 and t.transaction_id = $2`,
    values: [applicationId, transactionId],
  })
  return rows[0]
}

/** The file that a person has attached to a payment that they are writing; undefined without one. */
export async function findOwnAttachment(
  queryable: Queryable,
  { applicationId, personId, externalId }: PaymentOwner,
): Promise<AttachmentDto | undefined> {
  const { rows } = await queryable.query<{ shown: AttachmentDto }>({
    name: 'find_own_attachment',
    text: `select ${SHOWN} as shown from attachments a
            where a.application_id = $1 and a.external_id = $2 and a.uploaded_by = $3 and a.state = 'attached'`,
    values: [applicationId, externalId, personId],
  })
  return rows[0]?.shown
}

/** Whether a transaction has this external id. */
export async function isSent(queryable: Queryable, applicationId: string, externalId: string): Promise<boolean> {
  const { rowCount } = await queryable.query('select 1 from transactions where application_id = $1 and external_id = $2', [
    applicationId,
    externalId,
  ])
  return rowCount === 1
}

/** Of how many other payments that were not sent this person has files. */
export async function countUnsentPayments(queryable: Queryable, { applicationId, personId, externalId }: PaymentOwner): Promise<number> {
  const { rows } = await queryable.query<{ count: number }>(
    `select count(distinct a.external_id)::integer as count from attachments a
      where a.application_id = $1 and a.uploaded_by = $2 and a.external_id <> $3 and not exists (
        select from transactions t where t.application_id = a.application_id and t.external_id = a.external_id)`,
    [applicationId, personId, externalId],
  )
  return rows[0]?.count ?? 0
}

/** The file with this id, locked until the transaction ends. */
export async function lockAttachment(trx: TrxClient, { applicationId, fileId }: FileKey): Promise<AttachmentFile | undefined> {
  return readAttachment(trx, { applicationId, fileId }, 'for update of a')
}

/** The file with this id. */
export async function readAttachment(
  queryable: Queryable,
  { applicationId, fileId }: FileKey,
  lock: '' | 'for update of a' = '',
): Promise<AttachmentFile | undefined> {
  const { rows } = await queryable.query<AttachmentFile>(
    `select ${COLUMNS} from attachments a where a.application_id = $1 and a.file_id = $2 ${lock}`,
    [applicationId, fileId],
  )
  return rows[0]
}

type NewUpload = PaymentOwner & { fileId: string; fileName: string; byteCount: number; modifiedMs: number }

/** Begins an upload, or finds the one of the same file that was interrupted. Returns its id and the pieces that arrived. */
export async function insertUpload(trx: TrxClient, upload: NewUpload): Promise<{ fileId: string; pieces: number[] }> {
  await trx.query(
    `insert into attachments (application_id, external_id, uploaded_by, file_name, byte_count, modified_ms, file_id, state)
       values ($1, $2, $3, $4, $5, $6, $7, 'uploading') on conflict (application_id, external_id, uploaded_by, state) do nothing`,
    [upload.applicationId, upload.externalId, upload.personId, upload.fileName, upload.byteCount, upload.modifiedMs, upload.fileId],
  )
  const { rows } = await trx.query<{ fileId: string; pieces: number[] }>(
    `select a.file_id as "fileId", coalesce(array_agg(p.number order by p.number) filter (where p.number is not null), '{}') as pieces
       from attachments a left join attachment_pieces p using (application_id, file_id)
      where a.application_id = $1 and a.external_id = $2 and a.uploaded_by = $3 and a.state = 'uploading'
      group by a.file_id`,
    [upload.applicationId, upload.externalId, upload.personId],
  )
  return rows[0] ?? { fileId: upload.fileId, pieces: [] }
}

/** Removes the upload of another file for the same payment: the person has chosen this one instead. */
export async function deleteOtherUpload(trx: TrxClient, upload: NewUpload): Promise<void> {
  const { applicationId, externalId, personId, fileName, byteCount, modifiedMs } = upload
  await deleteWhere(
    trx,
    `a.application_id = $1 and a.external_id = $2 and a.uploaded_by = $3 and a.state = 'uploading'
       and (a.file_name, a.byte_count, a.modified_ms) <> ($4, $5, $6)`,
    [applicationId, externalId, personId, fileName, byteCount, modifiedMs],
  )
}

/** Removes the file that is attached to a payment. Returns it, or undefined if there is none. */
export async function deleteAttached(trx: TrxClient, { applicationId, externalId, personId }: PaymentOwner): Promise<string | undefined> {
  const condition = `a.application_id = $1 and a.external_id = $2 and a.uploaded_by = $3 and a.state = 'attached'`
  return (await deleteWhere(trx, condition, [applicationId, externalId, personId]))[0]
}

type Copied = { fileName: string; mediaType: AttachmentType; byteCount: bigint }

/**
 * Attaches the file of a transaction to a payment too, with its pieces. Undefined without a file with this digest of which every byte is still
 * kept, or if the payment has a file.
 */
export async function copyAttachment(
  trx: TrxClient,
  { applicationId, personId, externalId }: PaymentOwner,
  { transactionId, sha256, fileId }: { transactionId: string; sha256: string; fileId: string },
): Promise<Copied | undefined> {
  const { rows } = await trx.query<Copied>(
    `with kept as (
       select a.* from transactions t join attachments a on ${IS_OF_TRANSACTION}
        where t.application_id = $1 and t.transaction_id = $2 and a.sha256 = decode($3, 'hex') and a.byte_count = (
          select sum(p.byte_count) from attachment_pieces p where p.application_id = a.application_id and p.file_id = a.file_id)),
     copied as (
       insert into attachments (application_id, file_id, external_id, uploaded_by, file_name, byte_count, modified_ms, state, media_type, sha256)
       select application_id, $4, $5, $6, file_name, byte_count, modified_ms, state, media_type, sha256 from kept
       on conflict do nothing returning file_name, media_type, byte_count),
     pieces as (
       insert into attachment_pieces (application_id, file_id, number, byte_count, content)
       select p.application_id, $4, p.number, p.byte_count, p.content
         from kept k join attachment_pieces p on p.application_id = k.application_id and p.file_id = k.file_id
        where exists (select from copied))
     select file_name as "fileName", media_type as "mediaType", byte_count as "byteCount" from copied`,
    [applicationId, transactionId, sha256, fileId, externalId, personId],
  )
  return rows[0]
}

/** Ends an upload whose content was checked. */
export async function updateAttached(
  trx: TrxClient,
  { applicationId, fileId }: FileKey,
  { mediaType, sha256 }: { mediaType: AttachmentType; sha256: Buffer },
): Promise<void> {
  await trx.query(
    `update attachments set state = 'attached', media_type = $3, sha256 = $4 where application_id = $1 and file_id = $2 and state = 'uploading'`,
    [applicationId, fileId, mediaType, sha256],
  )
}

/** $1: the instant. Uploads that were not completed count as unused, whatever became of the payment. */
const UNUSED = `a.uploaded_at < $1 and (a.state = 'uploading' or not exists (
    select from transactions t where ${IS_OF_TRANSACTION}))
  and not exists (select from payment_drafts d
    where d.application_id = a.application_id and d.person_id = a.uploaded_by and d.external_id = a.external_id)`

/** The applications with files that were uploaded before an instant for payments that nobody has sent or keeps as a draft. */
export async function listWithUnused(queryable: Queryable, before: Date): Promise<string[]> {
  const { rows } = await queryable.query<{ id: string }>(`select distinct a.application_id as id from attachments a where ${UNUSED}`, [
    before,
  ])
  return rows.map((row) => row.id)
}

/** Removes up to `limit` of these files of an application. Returns how many. The caller holds the counters, so that none of them is being sent. */
export async function deleteUnused(trx: TrxClient, applicationId: string, before: Date, limit: number): Promise<number> {
  const condition = `a.ctid = any (array(select a.ctid from attachments a where a.application_id = $2 and ${UNUSED} limit $3))`
  return (await deleteWhere(trx, condition, [before, applicationId, limit])).length
}

/** Removes files with their pieces. Returns their names. */
async function deleteWhere(trx: TrxClient, condition: string, values: readonly unknown[]): Promise<string[]> {
  const { rows } = await trx.query<{ name: string }>(
    `with gone as (delete from attachments a where ${condition} returning a.application_id, a.file_id, a.file_name),
     pieces as (delete from attachment_pieces p using gone where p.application_id = gone.application_id and p.file_id = gone.file_id)
     select file_name as name from gone`,
    [...values],
  )
  return rows.map((row) => row.name)
}
