import type { Queryable } from '#server/database/pool.ts'

type PieceId = { applicationId: string; exportId: string; number: number }

export async function insertPiece(queryable: Queryable, { applicationId, exportId, number }: PieceId, content: Buffer): Promise<void> {
  await queryable.query('insert into export_pieces (application_id, export_id, number, content) values ($1, $2, $3, $4)', [
    applicationId,
    exportId,
    number,
    content,
  ])
}

/** One piece of a stored file; undefined behind the last one. */
export async function selectPiece(queryable: Queryable, { applicationId, exportId, number }: PieceId): Promise<Buffer | undefined> {
  const { rows } = await queryable.query<{ content: Buffer }>(
    'select content from export_pieces where application_id = $1 and export_id = $2 and number = $3',
    [applicationId, exportId, number],
  )
  return rows[0]?.content
}

export async function deletePieces(queryable: Queryable, applicationId: string, exportId: string): Promise<void> {
  await queryable.query('delete from export_pieces where application_id = $1 and export_id = $2', [applicationId, exportId])
}

/**
 * Removes stored files of an application, the oldest first, until what remains is at most `bytesMax`; and what a process that crashed left of
 * a file that it did not finish: no file takes an hour.
 */
export async function deleteOldFiles(queryable: Queryable, applicationId: string, bytesMax: number): Promise<void> {
  await queryable.query(
    `with ranked as (
       select x.export_id, sum(x.file_bytes) over (order by x.started_at desc, x.export_id) as bytes
         from exports x where x.application_id = $1 and x.stored_at is not null
     ), old as (
       -- Two exports that end at once would wait for each other without an order.
       select x.export_id from exports x where x.application_id = $1 and x.export_id in (select r.export_id from ranked r where r.bytes > $2)
         order by x.export_id for update skip locked
     ), emptied as (
       update exports x set stored_at = null from old o where x.application_id = $1 and x.export_id = o.export_id returning x.export_id
     )
     delete from export_pieces p where p.application_id = $1 and (p.export_id in (select e.export_id from emptied e) or exists (
       select 1 from exports x where x.application_id = $1 and x.export_id = p.export_id and x.stored_at is null
         and x.started_at < clock_timestamp() - interval '1 hour'))`,
    [applicationId, bytesMax],
  )
}
