import { z } from 'zod'
import { type ColumnMapping, columnMappingSchema } from '#lib/reconciliation/statement-columns.ts'
import type { Queryable, TrxClient } from '#server/database/pool.ts'
import type { MappedHeader } from '../read-statement/formats/mapped.ts'

const stored = z.array(z.object({ signature: z.string(), mapping: columnMappingSchema }))

/** The headers of a wallet's statements whose columns two people have said. */
export async function listMapped(queryable: Queryable, applicationId: string, wallet: string): Promise<MappedHeader[]> {
  const { rows } = await queryable.query(
    'select signature, mapping from statement_columns where application_id = $1 and wallet = $2 order by signature',
    [applicationId, wallet],
  )
  return stored.parse(rows)
}

type NewMapping = {
  applicationId: string
  wallet: string
  signature: string
  header: readonly string[]
  mapping: ColumnMapping
  personId: string
}

/** Stores how a header is read, and has the wallet's files checked again that wait for it. */
export async function upsertMapping(
  trx: TrxClient,
  { applicationId, wallet, signature, header, mapping, personId }: NewMapping,
): Promise<void> {
  await trx.query(
    `insert into statement_columns (application_id, wallet, signature, header, mapping, changed_by) values ($1, $2, $3, $4, $5, $6)
     on conflict (application_id, wallet, signature) do update
       set header = excluded.header, mapping = excluded.mapping, changed_by = excluded.changed_by, changed_at = clock_timestamp()`,
    [applicationId, wallet, signature, header, JSON.stringify(mapping), personId],
  )
  await trx.query(
    `update statement_files set state = 'checking', problem = null where application_id = $1 and wallet = $2 and state = 'unmapped'`,
    [applicationId, wallet],
  )
}
