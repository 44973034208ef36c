import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { waitUntil } from '#server/testing/wait-until.ts'
import { type Answer, act, type PayoutService, type Person, read, valueIn } from './payout-service.ts'

/** A deposit of 5,000 at MOMOCM as the form sends it. */
export function aPayment(overrides: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return {
    externalId: randomUUID(),
    originId: null,
    type: 'DEPOSIT',
    country: 'CAMEROON',
    operator: 'MOMOCM',
    phoneNumber: '237677209341',
    customerName: 'Clarisse Mbarga',
    amount: '5000',
    ...overrides,
  }
}

/** A number that nobody was paid at before. */
export function newNumber(): string {
  return `2376${String(Math.floor(Math.random() * 1e8)).padStart(8, '0')}`
}

/** A maker sends a payment for approval. Returns its id. */
export async function send(service: PayoutService, maker: Person, overrides: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const sent = valueIn(await act(service, maker, 'sendForApproval', aPayment({ phoneNumber: newNumber(), ...overrides })))
  return String(sent['transactionId'])
}

const shownPayment = z.object({ row: z.object({ contentHash: z.string() }) })

/** The digest of a waiting payment as the person's page shows it. */
export async function shownHash(service: PayoutService, person: Person, transactionId: string): Promise<string> {
  return shownPayment.parse((await read(service, person, `approvals/${transactionId}`)).json()).row.contentHash
}

type Decision = { contentHash?: string; code?: string; decision?: 'validated' | 'rejected'; slug?: string }

/** A checker decides on one payment as it is shown to them. The result is `done`, the reason why that payment was refused, or the code of the whole refusal. */
export async function decide(
  service: PayoutService,
  checker: Person,
  transactionId: string,
  { contentHash, code, decision = 'validated', slug }: Decision = {},
): Promise<string> {
  const items = [{ transactionId, contentHash: contentHash ?? (await shownHash(service, checker, transactionId)) }]
  const proof = code === undefined ? {} : { proof: { kind: 'code', code } }
  return outcomeOf(await act(service, checker, 'decideTransactions', { decision, note: 'Seen', items, ...proof }, slug))
}

const decided = z.tuple([z.object({ kind: z.string(), reason: z.string().optional() })])

function outcomeOf(answer: Answer): string {
  if (!answer.ok) return answer.code
  const [{ kind, reason }] = decided.parse(answer.value)
  return reason ?? kind
}

type Row = { phone?: string; name?: string; amount?: string }

/** Uploads a file of payments. Returns the batch with its version, as its page shows it. */
export async function upload(service: PayoutService, maker: Person, rows: readonly Row[]): Promise<{ batchId: string; version: number }> {
  const lines = rows.map(({ phone = newNumber(), name = 'Clarisse Mbarga', amount = '5000' }) => `${phone};${name};${amount};MOMOCM`)
  const answer = await fetch(`${service.baseUrl}/api/back-office/${maker.application.slug}/batches?type=DEPOSIT&fileName=salaries.csv`, {
    method: 'POST',
    headers: { cookie: maker.cookie, 'content-type': 'application/octet-stream', origin: service.baseUrl },
    body: ['Téléphone;Nom;Montant;Opérateur', ...lines, ''].join('\n'),
  })
  const { batchId } = z.object({ batchId: z.string() }).parse(await answer.json())
  return { batchId, version: await versionOf(service, batchId) }
}

export async function versionOf({ database }: PayoutService, batchId: string): Promise<number> {
  const { rows } = await database.pool.query<{ version: number }>('select version from batches where batch_id = $1', [batchId])
  return rows[0]?.version ?? assert.fail('there is no such batch')
}

/** Submits a batch and waits until its rows wait for approval. Returns their ids, in the order of the file. */
export async function submit(service: PayoutService, maker: Person, { batchId }: { batchId: string }): Promise<string[]> {
  const version = await versionOf(service, batchId)
  valueIn(await act(service, maker, 'submitBatch', { batchId, version, repeatReason: null }))
  const { pool } = service.database
  await waitUntil('the rows of the batch wait', async () => {
    const { rowCount } = await pool.query("select 1 from batches where batch_id = $1 and state = 'submitted'", [batchId])
    return rowCount === 1
  })
  const { rows } = await pool.query<{ id: string }>('select transaction_id as id from transactions where batch_id = $1 order by sequence', [
    batchId,
  ])
  return rows.map(({ id }) => id)
}

const shownBatch = z.object({ hash: z.string(), shownAt: z.string() })

/** A checker decides on a whole batch as it is shown to them. */
export async function decideBatch(
  service: PayoutService,
  checker: Person,
  batchId: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<Answer> {
  const { hash, shownAt } = shownBatch.parse((await read(service, checker, `approvals/batches/${batchId}`)).json())
  return act(service, checker, 'decideWholeBatch', { batchId, decision: 'validated', note: 'Seen', hash, shownAt, ...more })
}

/** Asserts that these payments can no longer be paid without another person: they wait or have failed, and the operator never heard of them. */
export async function assertNotPaid({ database, operator }: PayoutService, transactionIds: readonly string[]): Promise<void> {
  const { rows } = await database.pool.query(
    `select t.transaction_id, t.status from transactions t
      where t.transaction_id = any ($1::uuid[])
        and (t.status in ('PENDING', 'SUCCESS') or exists (select from all_operator_attempts a where a.transaction_id = t.transaction_id))`,
    [transactionIds],
  )
  assert.deepEqual(rows, [])
  assert.deepEqual(
    operator.submitted.filter((reference) => transactionIds.includes(reference)),
    [],
  )
}

/** Waits until a payment has succeeded, and asserts that the operator carried it out once. */
export async function assertPaidOnce({ database, operator }: PayoutService, transactionId: string): Promise<void> {
  await waitUntil('the payment has succeeded', async () => {
    const { rows } = await database.pool.query<{ status: string }>('select status from transactions where transaction_id = $1', [
      transactionId,
    ])
    return rows[0]?.status === 'SUCCESS'
  })
  assert.equal(operator.submitted.filter((reference) => reference === transactionId).length, 1)
}
