import { createHash, randomUUID } from 'node:crypto'
import { maskHolderName } from '#lib/operators/account-check.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { storeKnownAccount } from '#server/account-checks/check-account.ts'
import { createDirectory } from '#server/applications/directory.ts'
import type { ApplicationSnapshot } from '#server/applications/snapshot.ts'
import { createBatch } from '#server/batches/create-batch.ts'
import { readFile } from '#server/batches/read-file/read-file.ts'
import { proposeChange } from '#server/changes/propose-change.ts'
import type { Pool, TrxClient } from '#server/database/pool.ts'
import { createLogger } from '#server/logger.ts'
import { settleFinalResult } from '#server/operators/work/settle-final-result.ts'
import { type IntakeItem, takeIn } from '#server/transactions/intake.ts'
import { startRefund } from '#server/transactions/refunds.ts'
import { type TransitionItem, transition } from '#server/transactions/transition.ts'
import { poolOfOne } from './history/pool-of-one.ts'
import type { LiveTransaction } from './history/simulation.ts'
import { confirmContradiction, selectRefundableCollect, selectWaitingAccounts } from './seed-store.ts'

type Proposers = { applicationId: string; financeId: string | undefined; administratorIds: readonly string[] }

/**
 * Seeds changes that wait for a second person: a payment into a deposit balance, and lower limits, which an administrator of the installation confirms
 * where there is only one in the application.
 */
export async function seedWaiting(
  trx: TrxClient,
  { applicationId, financeId, administratorIds }: Proposers,
): Promise<Result<null, unknown>> {
  const pool = poolOfOne(trx)
  const [administratorId] = administratorIds
  if (financeId !== undefined) {
    const actor = { kind: 'person', id: financeId, applicationId, roles: ['finance'] } as const
    const file = 'avis-de-credit-0871.pdf'
    const funding = await proposeChange(pool, {
      applicationId,
      actor,
      kind: 'funding.pay_in',
      input: {
        operator: 'SNFREE',
        amountMinor: '250000000',
        reference: 'FT26325-0871',
        note: 'Ecobank Dakar',
        document: { name: file, sha256: createHash('sha256').update(file).digest('hex') },
      },
    })
    if (!funding.ok) return err(funding.error)
  }
  if (administratorId === undefined) return ok(null)
  const change = await proposeChange(pool, {
    applicationId,
    kind: 'service.set',
    input: {
      operator: 'UGAIRTEL',
      type: 'DEPOSIT',
      isEnabled: true,
      enforcesLimits: true,
      minimumMinor: '100000',
      maximumMinor: '200000000',
    },
    actor: { kind: 'person', id: administratorId, applicationId, roles: ['administrator'] },
  })
  return change.ok ? ok(null) : err(change.error)
}

/** Makers had the accounts of their latest payments checked just now. One of them belongs to somebody else. */
export async function seedAccountChecks(trx: TrxClient, applicationId: string): Promise<void> {
  const waiting = await selectWaitingAccounts(trx, applicationId, ['MOMOCM', 'BJMTN', 'UGMTN', 'UGAIRTEL', 'OMCM', 'BJMOOV', 'MLMOOV'], 4)
  for (const [index, { operator, phoneNumber, customerName, makerId }] of waiting.entries()) {
    const holderName = maskHolderName(index === 0 ? 'ROBERT Z.' : customerName.toUpperCase()) ?? null
    const check = { applicationId, asker: { kind: 'person', id: makerId }, operator, phoneNumber } as const
    await storeKnownAccount(trx, check, { answer: 'active', holderName })
  }
}

/** A list as a person exports it: repairs to accept, problems to correct, a payment twice, an amount beyond the operator's limit. */
const DRAFT = `Primes du trimestre;;;
Noms et prénoms;Téléphone;Montant;Opérateur
Koffi Adjovi;22997123456;12 500,00;MTN Bénin
Ama Houngbédji;97123457;8.500;MTN Bénin
Sènan Dossou;22966554433;15000;Moov Bénin
Jean Talla;2.37E+11;25000;MTN Cameroun
Clarisse Mbarga;+237 6 77 20 93 41;25000;MTN Cameroun
Clarisse Mbarga;237677209341;25000;MTN Cameroun
Paul Ngono;237699123456;750000;Orange Cameroun
Awa Ndiaye;771234567;30000;Orange Sénégal
;237690441208;5000;Orange Cameroun
Fatou Sow;221781234567;05/01/2026;Wave Sénégal
`

/** A draft that a maker has just uploaded, through the command that uploads call. */
export async function seedDraftBatch(trx: TrxClient, applicationId: string, makerId: string): Promise<void> {
  const pool = poolOfOne(trx)
  const application = await readSnapshot(pool, applicationId)
  const bytes = Buffer.from(DRAFT)
  const file = await readFile(bytes)
  if (!file.ok) throw new Error('The draft batch of the sandbox could not be read')
  const created = await createBatch(
    { pool, connectors: { has: () => true, limitsOf: () => undefined } },
    {
      application,
      actor: { kind: 'person', id: makerId, applicationId, roles: ['maker'] },
      name: 'Primes du trimestre',
      type: 'DEPOSIT',
      defaultOperator: null,
      fileName: 'primes.csv',
      fileSha256: createHash('sha256').update(bytes).digest(),
      file: file.value,
    },
  )
  if (!created.ok) throw new Error(`The draft batch of the sandbox could not be stored: ${created.error}`)
}

async function readSnapshot(pool: Pool, applicationId: string): Promise<ApplicationSnapshot> {
  const directory = await createDirectory({ pool })
  const application = directory.find(applicationId)
  await directory.close()
  if (!application) throw new Error('A seeded application is gone')
  return application
}

/** Seeds a refund of half of the newest large collect, which a maker proposes and which waits for its checkers. */
export async function seedRefund(trx: TrxClient, applicationId: string, makerId: string): Promise<void> {
  const pool = poolOfOne(trx)
  const collect = await selectRefundableCollect(pool, applicationId)
  if (!collect) throw new Error('The history of the sandbox has no collect to refund')
  const intake = {
    submit: async (item: IntakeItem) => (await takeIn(trx, [item]))[0] ?? { kind: 'conflict' as const },
  }
  const refunded = await startRefund(
    { pool, intake, connectors: { has: () => true, limitsOf: () => undefined }, confirmFailures: async () => new Set() },
    {
      application: await readSnapshot(pool, applicationId),
      collectId: collect.transactionId,
      externalId: randomUUID(),
      // Half, in whole units of the currency.
      amountMinor: (collect.amountMinor / 200n) * 100n,
      reason: 'Article rendu',
      webhookUrl: null,
      source: 'person',
      actor: { kind: 'person', id: makerId, applicationId, roles: ['maker'] },
    },
  )
  if (!refunded.ok) throw new Error(`The refund of the sandbox could not be proposed: ${refunded.error.kind}`)
}

/**
 * Lets the operator report a success for a transaction that it reported as failed before, and repeat it when queried. The service records
 * both.
 */
export async function contradict(trx: TrxClient, { item }: LiveTransaction): Promise<void> {
  const { applicationId, transactionId, operator } = item
  const settler = {
    settle: async (move: TransitionItem) => (await transition(trx, [move]))[0],
    drain: () => Promise.resolve(),
  }
  await settleFinalResult(
    { pool: poolOfOne(trx), settler, logger: createLogger('silent') },
    { applicationId, transactionId, operator, operatorToken: null, operatorReference: null, operatorReferenceOther: null, source: 'query' },
    { kind: 'succeeded', exchange: { httpStatus: 200, answer: '{"status":"SUCCESS"}' } },
  )
  await confirmContradiction(trx, applicationId, transactionId)
}
