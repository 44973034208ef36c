import { randomUUID } from 'node:crypto'
import type { OperatorCode } from '#lib/operators/operators.ts'
import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import { PIECE_BYTES } from '#lib/uploads.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import type { Pool } from '#server/database/pool.ts'
import { listOperatorReferences } from '#server/operators/references/list-operator-references.ts'
import { anIntakeItem, fund, makeApplication, makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { type IntakeItem, takeIn } from '#server/transactions/intake.ts'
import { SYSTEM_ACTOR, transition } from '#server/transactions/transition.ts'
import { importStatement } from '../statements/decide-statement.ts'
import { readStatementFile, type StatementFile } from '../statements/statement-store.ts'
import { workOnce } from '../statements/statement-worker.ts'
import { beginUpload, finishUpload, storePiece } from '../statements/upload-statement.ts'

/** An installation with a finance officer who uploads statements, and with money for deposits. */
export type Desk = {
  pool: Pool
  applicationId: string
  actor: PersonCommandActor
  /** Uploads a file, without waiting for its check. */
  upload(wallet: string, content: string | Uint8Array, name?: string): Promise<{ fileId: string; isKnown: boolean }>
  /** Lets the worker do all that is to be done. */
  work(): Promise<void>
  read(fileId: string): Promise<StatementFile>
  /** Imports a checked file. */
  import(fileId: string): Promise<StatementFile>
  /** Uploads, checks and imports a file. */
  bring(wallet: string, content: string | Uint8Array): Promise<StatementFile>
  /** A transaction that has ended, or that is still open. */
  pay(payment: Payment): Promise<IntakeItem>
}

type Payment = {
  operator: OperatorCode
  type: TransactionType
  amountMinor: bigint
  phoneNumber?: string
  reference?: string
  event?: 'succeeded' | 'failed' | null
}

export async function createDesk(pool: Pool): Promise<Desk> {
  const applicationId = await makeApplication(pool, 'Kora Stores')
  await pool.query('update applications set runs_installation = true where application_id = $1', [applicationId])
  const personId = await makePerson(pool, applicationId, ['finance'])
  const actor = { kind: 'person' as const, id: personId, applicationId, roles: ['finance' as const] }
  const clock = { now: () => new Date() }
  const desk: Desk = {
    pool,
    applicationId,
    actor,
    async upload(wallet, content, name = `${randomUUID()}.csv`) {
      const bytes = Buffer.from(content)
      const begun = must(await beginUpload(pool, { applicationId, actor, wallet, fileName: name, bytes: bytes.length, modifiedMs: 1 }))
      for (let number = 0; number * PIECE_BYTES < bytes.length; number++) {
        const piece = bytes.subarray(number * PIECE_BYTES, (number + 1) * PIECE_BYTES)
        must(await storePiece(pool, { applicationId, actor, fileId: begun.fileId, number, bytes: piece }))
      }
      return must(await finishUpload(pool, { applicationId, actor, fileId: begun.fileId }))
    },
    async work() {
      while (await workOnce({ pool, clock, rests: new Map() }));
    },
    async read(fileId) {
      const file = await readStatementFile(pool, applicationId, fileId)
      if (!file) throw new Error('The statement does not exist')
      return file
    },
    async import(fileId) {
      must(await importStatement(pool, { applicationId, fileId, actor }))
      await listOperatorReferences(pool)
      await desk.work()
      return desk.read(fileId)
    },
    async bring(wallet, content) {
      const { fileId } = await desk.upload(wallet, content)
      await desk.work()
      return desk.import(fileId)
    },
    async pay({ operator, type, amountMinor, phoneNumber, reference, event = 'succeeded' }) {
      if (type === 'DEPOSIT') await fund(pool, applicationId, operator, amountMinor * 2n)
      const item = anIntakeItem(applicationId, { operator, type, amountMinor, ...(phoneNumber && { phoneNumber }) })
      await takeIn(pool, [item])
      if (event) await transition(pool, [{ ...item, event, message: 'x', operatorReference: reference, actor: SYSTEM_ACTOR }])
      return item
    },
  }
  return desk
}
