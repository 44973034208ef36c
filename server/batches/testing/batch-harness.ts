import assert from 'node:assert/strict'
import type { Role } from '#lib/people/permissions.ts'
import { createDirectory, type Directory } from '#server/applications/directory.ts'
import type { Pool } from '#server/database/pool.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, makeApplication, makePerson } from '#server/testing/factories.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import type { Connected } from '#server/transactions/find-start-problems.ts'
import { createIntake, type Intake, takeIn } from '#server/transactions/intake.ts'
import { createBatchSubmitter } from '../rows/start-rows.ts'
import { submitBatch } from '../submit-batch.ts'
import { ALL_CONNECTED, makeBatch, makerOf, snapshotOf } from './make-batch.ts'

/** The first line of a file whose columns are recognised. */
export const BATCH_HEAD = 'Téléphone;Nom;Montant;Opérateur'

/** An application with a maker and one of their batches. */
export type Scene = Awaited<ReturnType<BatchHarness['scene']>>
type Place = Pick<Scene, 'applicationId' | 'batchId'>

type Stored = {
  version: number
  state: string
  ready_count: number
  problem_count: number
  excluded_count: number
  started_count: number
  content_hash: Buffer | null
  maker_id: string
  prepared_by: string[]
}

type Row = {
  row_number: number
  phone_number: string | null
  problems: { kind: string }[]
  repairs: { kind: string }[]
  warnings: { kind: string }[]
  notes: { kind: string }[]
  exclusion: string | null
  transaction_id: string | null
  external_id: string
  refusal: string | null
}

/** A database with everything that submits batches, and short ways to what is stored. */
export class BatchHarness {
  readonly directory: Directory
  readonly intake: Intake
  readonly #database: TestDatabase

  private constructor(database: TestDatabase, directory: Directory) {
    this.#database = database
    this.directory = directory
    this.intake = createIntake({ pool: database.pool })
  }

  static async open(): Promise<BatchHarness> {
    const database = await createTestDatabase()
    return new BatchHarness(database, await createDirectory({ pool: database.pool }))
  }

  async close(): Promise<void> {
    await this.intake.drain()
    await this.directory.close()
    await this.#database.drop()
  }

  get pool(): Pool {
    return this.#database.pool
  }

  /** The dependencies of a command that changes a batch. */
  deps(connectors: Connected = ALL_CONNECTED) {
    return { pool: this.pool, connectors }
  }

  /** An application with a maker and a batch of these lines. */
  async scene(
    lines: readonly string[],
    options: { head?: string; roles?: Role[]; transactions?: Parameters<typeof anIntakeItem>[1][] } = {},
  ) {
    const applicationId = await makeApplication(this.pool)
    const makerId = await makePerson(this.pool, applicationId, ['maker'])
    for (const overrides of options.transactions ?? []) await takeIn(this.pool, [anIntakeItem(applicationId, overrides)])
    const batchId = await makeBatch(this.pool, { applicationId, makerId, text: [options.head ?? BATCH_HEAD, ...lines].join('\n') })
    const application = await snapshotOf(this.pool, applicationId)
    await this.directory.refresh()
    return { applicationId, makerId, batchId, application, actor: makerOf(applicationId, makerId) }
  }

  async stored({ applicationId, batchId }: Place): Promise<Stored> {
    const { rows } = await this.pool.query<Stored>('select * from batches where application_id = $1 and batch_id = $2', [
      applicationId,
      batchId,
    ])
    const [batch] = rows
    assert.ok(batch)
    return batch
  }

  async rowsOf({ applicationId, batchId }: Place): Promise<Row[]> {
    const { rows } = await this.pool.query<Row>(
      'select * from batch_rows where application_id = $1 and batch_id = $2 order by row_number',
      [applicationId, batchId],
    )
    return rows
  }

  /** The arguments shared by all commands about the batch, in its present version. */
  async command(one: Scene) {
    return { application: one.application, actor: one.actor, batchId: one.batchId, version: (await this.stored(one)).version }
  }

  submitter() {
    const { pool, intake, directory } = this
    return createBatchSubmitter({ pool, intake, connectors: ALL_CONNECTED, directory, pollMs: 50, leaseMs: 300 })
  }

  /** Submits a batch and waits until all of its rows are started. */
  async submit(one: Scene, repeatReason: string | null = null) {
    const loop = this.submitter()
    const result = await submitBatch({ ...this.deps(), wakeSubmitter: loop.wake }, { ...(await this.command(one)), repeatReason })
    if (result.ok) await waitUntil('the batch is submitted', async () => (await this.stored(one)).state === 'submitted')
    await loop.drain()
    return result
  }

  async transactionsOf({ applicationId, batchId }: Scene) {
    const { rows } = await this.pool.query<{
      status: string
      source: string
      maker_id: string
      external_id: string
      amount_minor: bigint
    }>('select * from transactions where application_id = $1 and batch_id = $2 order by sequence', [applicationId, batchId])
    return rows
  }
}
