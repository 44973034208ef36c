import { createHash } from 'node:crypto'
import type { OperatorCode } from '#lib/operators/operators.ts'
import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import { createDirectory } from '#server/applications/directory.ts'
import type { ApplicationSnapshot } from '#server/applications/snapshot.ts'
import type { Pool } from '#server/database/pool.ts'
import { must } from '#server/testing/partner.ts'
import { createBatch, type PersonActor } from '../create-batch.ts'
import { readFile } from '../read-file/read-file.ts'

/** Every operator is in service. */
export const ALL_CONNECTED = { has: () => true, limitsOf: () => undefined }

/** A maker of an application, as a command takes it. */
export function makerOf(applicationId: string, personId: string): PersonActor {
  return { kind: 'person', id: personId, applicationId, roles: ['maker'] }
}

/** The application as commands see it. */
export async function snapshotOf(pool: Pool, applicationId: string): Promise<ApplicationSnapshot> {
  const directory = await createDirectory({ pool })
  try {
    const snapshot = directory.find(applicationId)
    if (!snapshot) throw new Error('The application is not in the directory')
    return snapshot
  } finally {
    await directory.close()
  }
}

type MadeBatch = {
  applicationId: string
  makerId: string
  text: string
  name?: string
  type?: TransactionType
  defaultOperator?: OperatorCode
}

/** A batch from the text of a CSV file, read and checked through the real command. Returns its id. */
export async function makeBatch(
  pool: Pool,
  { applicationId, makerId, text, name = 'A batch', type = 'DEPOSIT', defaultOperator }: MadeBatch,
): Promise<string> {
  const bytes = Buffer.from(text)
  const created = await createBatch(
    { pool, connectors: ALL_CONNECTED },
    {
      application: await snapshotOf(pool, applicationId),
      actor: makerOf(applicationId, makerId),
      name,
      type,
      defaultOperator: defaultOperator ?? null,
      fileName: 'payments.csv',
      fileSha256: createHash('sha256').update(bytes).digest(),
      file: must(await readFile(bytes)),
    },
  )
  return must(created).batchId
}
