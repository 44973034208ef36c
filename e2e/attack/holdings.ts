import { randomBytes, randomUUID } from 'node:crypto'
import type { Examples } from '#e2e/roles/access-table.ts'
import { makeExport } from '#e2e/roles/make-export.ts'
import { makeImport } from '#e2e/roles/make-import.ts'
import { API_SCOPES, type ApiScope } from '#lib/partner/api-scopes.ts'
import { createApiKey } from '#server/applications/access/api-keys.ts'
import { attachFile, beginAttachment, storeAttachmentPiece } from '#server/attachments/attach-file.ts'
import { samplePdf } from '#server/attachments/testing/sample-files.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { ALL_CONNECTED, makeBatch, makerOf, snapshotOf } from '#server/batches/testing/make-batch.ts'
import { systemClock } from '#server/clock.ts'
import type { Pool } from '#server/database/pool.ts'
import { createPaymentLink } from '#server/payment-links/payment-links.ts'
import { saveView } from '#server/people/saved-views.ts'
import { makeFileBatch } from '#server/testing/batches/file-batch.ts'
import { aBand, anIntakeItem } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { takeIn } from '#server/transactions/intake.ts'

/** One row of every kind that has an address, of one application, and what nobody outside may read. */
export type Holdings = {
  applicationId: string
  /** Ids by the names that addresses and inputs of actions give them. */
  examples: Examples & Readonly<Record<'attachmentId' | 'programBatchId' | 'viewId' | 'apiKeyId', string>>
  /** Collects that succeeded, and a deposit. */
  collectIds: readonly string[]
  depositId: string
  /** A link for any number of payments, and the page of a payment. */
  linkToken: string
  payToken: string
  /** Keys of one scope each. */
  limitedKeys: readonly { scope: ApiScope; apiKey: string }[]
  /** Texts that only its own people and programs may read. */
  secrets: readonly string[]
}

type Owner = { apiId: string; slug: string; people: readonly { id: string; email: string; roles: readonly string[] }[] }

/** Makes the rows, by the commands that the product has for them. `makeProgramBatch` has the application's program make a batch of that name. */
export async function gatherHoldings(pool: Pool, owner: Owner, makeProgramBatch: (name: string) => Promise<string>): Promise<Holdings> {
  const canary = `Canary ${randomBytes(8).toString('hex')}`
  const applicationId = await idOf(pool, owner.apiId)
  const maker = owner.people.find(({ roles }) => roles.includes('maker'))
  if (!maker) throw new Error(`${owner.slug} has no maker`)
  const phoneNumber = `2376${String(Number.parseInt(randomBytes(4).toString('hex'), 16))
    .padStart(10, '0')
    .slice(0, 5)}341`
  const waiting = await makeWaiting(pool, { applicationId, makerId: maker.id, canary, phoneNumber })
  const link = await makeLink(pool, { applicationId, makerId: maker.id, canary })
  const batchText = `Téléphone;Nom;Montant;Opérateur\n${phoneNumber};${canary};5000;MOMOCM\n`
  const { batchId: waitingBatchId } = await makeFileBatch(pool, { applicationId, makerId: maker.id, count: 2 })
  const known = await findKnown(pool, applicationId)
  const viewId = await makeView(pool, { applicationId, personId: maker.id, canary })
  const keys = await makeKeys(pool, applicationId)
  return {
    applicationId,
    examples: {
      application: owner.slug,
      operator: 'MOMOCM',
      transactionId: waiting.transactionId,
      waitingId: waiting.transactionId,
      attachmentId: waiting.attachmentId,
      batchId: await makeBatch(pool, { applicationId, makerId: maker.id, name: canary, text: batchText }),
      waitingBatchId,
      programBatchId: await makeProgramBatch(canary),
      linkId: link.linkId,
      importId: await makeImport(pool, applicationId, phoneNumber),
      exportId: await makeExport(pool, applicationId),
      personId: maker.id,
      viewId,
      apiKeyId: keys[0]?.apiKeyId ?? '',
    },
    ...known,
    linkToken: link.token,
    limitedKeys: keys,
    secrets: [canary, phoneNumber],
  }
}

/** A deposit with a file, which waits for a checker. */
async function makeWaiting(
  pool: Pool,
  { applicationId, makerId, canary, phoneNumber }: { applicationId: string; makerId: string; canary: string; phoneNumber: string },
): Promise<{ transactionId: string; attachmentId: string }> {
  const externalId = randomUUID()
  const by = { applicationId, actor: makerOf(applicationId, makerId) }
  const bytes = Buffer.concat([samplePdf(), Buffer.from(`\n% ${canary}\n`)])
  const file = { externalId, fileName: `${canary}.pdf`, bytes: bytes.length, modifiedMs: 1 }
  const { fileId } = must(await beginAttachment(pool, { ...by, ...file }))
  must(await storeAttachmentPiece(pool, { ...by, fileId, number: 0, bytes }))
  must(await attachFile(pool, { ...by, fileId }))
  const item = anIntakeItem(applicationId, {
    externalId,
    phoneNumber,
    customerName: canary,
    purpose: canary,
    makerId,
    source: 'person',
    actor: { kind: 'person', id: makerId },
    bands: [aBand()],
  })
  await takeIn(pool, [item])
  return { transactionId: item.transactionId, attachmentId: fileId }
}

/** A link of 100 to 500,000 XAF, for any number of payments. */
export async function makeLink(
  pool: Pool,
  {
    applicationId,
    makerId,
    canary,
    paymentsMax = null,
  }: { applicationId: string; makerId: string; canary: string; paymentsMax?: number | null },
): Promise<{ linkId: string; token: string }> {
  const linkId = randomUUID()
  const link = {
    linkId,
    purpose: canary,
    country: 'CAMEROON' as const,
    operators: ['MOMOCM' as const],
    amount: null,
    minimum: 10_000n,
    maximum: 50_000_000n,
    paymentsMax,
    lastDay: null,
  }
  const application = await snapshotOf(pool, applicationId)
  const actor = makerOf(applicationId, makerId)
  must(await createPaymentLink({ pool, connectors: ALL_CONNECTED, clock: systemClock }, { application, actor, link }))
  const { rows } = await pool.query<{ token: string }>('select token from payment_links where link_id = $1', [linkId])
  return { linkId, token: rows[0]?.token ?? '' }
}

async function makeView(pool: Pool, owner: { applicationId: string; personId: string; canary: string }): Promise<string> {
  const view = { list: 'transactions', name: owner.canary, query: 'status=FAILED', isShared: true, isSentMonthly: false } as const
  must(await saveView(pool, { ...owner, ...view }, new Date()))
  const { rows } = await pool.query<{ view_id: string }>('select view_id from saved_views where name = $1', [owner.canary])
  return rows[0]?.view_id ?? ''
}

async function makeKeys(pool: Pool, applicationId: string): Promise<{ scope: ApiScope; apiKeyId: string; apiKey: string }[]> {
  const keys: { scope: ApiScope; apiKeyId: string; apiKey: string }[] = []
  for (const scope of API_SCOPES)
    keys.push({ scope, ...must(await createApiKey(pool, { applicationId, name: `only ${scope}`, scopes: [scope], actor: SYSTEM_ACTOR })) })
  return keys
}

/** Rows of the sandbox's history. */
async function findKnown(pool: Pool, applicationId: string): Promise<Pick<Holdings, 'collectIds' | 'depositId' | 'payToken'>> {
  const { rows } = await pool.query<{ transaction_id: string; type: string; pay_token: string }>(
    `(select transaction_id, type, pay_token from transactions where application_id = $1 and status = 'SUCCESS' and type = 'COLLECT'
        order by sequence desc limit 20)
     union all
     (select transaction_id, type, pay_token from transactions where application_id = $1 and status = 'SUCCESS' and type = 'DEPOSIT'
        order by sequence desc limit 1)`,
    [applicationId],
  )
  const collects = rows.filter(({ type }) => type === 'COLLECT')
  return {
    collectIds: collects.map(({ transaction_id }) => transaction_id),
    depositId: rows.find(({ type }) => type === 'DEPOSIT')?.transaction_id ?? '',
    payToken: collects[0]?.pay_token ?? '',
  }
}

async function idOf(pool: Pool, apiId: string): Promise<string> {
  const { rows } = await pool.query<{ application_id: string }>('select application_id from applications where api_id = $1', [apiId])
  return rows[0]?.application_id ?? ''
}
