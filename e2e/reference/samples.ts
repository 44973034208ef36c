import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, describe, test } from 'node:test'
import { z } from 'zod'
import { demandApproval, fundDeposits, newPartner, newPerson } from '#e2e/contract/arrange.ts'
import { aRequest, call, expectOk } from '#e2e/contract/partner-program.ts'
import { type ContractService, headersOf, type Partner, signIn } from '#e2e/contract/service.ts'
import { fillSamples } from '#lib/partner/fill-samples.ts'
import { SAMPLE_LANGUAGES } from '#lib/partner/reference.ts'
import { batchListSchema, batchPageSchema, batchSchema } from '#lib/schemas/api/batch-request.ts'
import { accountCheckSchema, operatorStatusSchema } from '#lib/schemas/api/operator-responses.ts'
import {
  balanceSchema,
  initiationSchema,
  keyedInitiationSchema,
  laterRecordSchema,
  pageSchema,
  recordSchema,
} from '#lib/schemas/api/responses.ts'
import { settledDaySchema, settlementReportSchema } from '#lib/schemas/api/settlement-responses.ts'
import { listedTransactionSchema, refundListSchema, transactionListSchema } from '#lib/schemas/api/transaction-responses.ts'
import { tokenResponseSchema } from '#lib/schemas/queries.ts'
import { readReference } from '#server/http/reference/read-reference.ts'
import { VERIFY_WEBHOOK } from '#server/http/reference/samples/verify-webhook.ts'
import { insertSignedDay } from '#server/reconciliation/testing/signed-day.ts'
import { anIntakeItem, makeApplication } from '#server/testing/factories.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { SYSTEM_ACTOR, transition } from '#server/transactions/transition.ts'
import { compileStrictly } from './compile-typescript.ts'
import { describePasted } from './pasted-samples.ts'
import { describeRun, isInstalled, parsePhp, runSample } from './run-sample.ts'

const ANSWERS: Record<string, z.ZodType> = {
  collect: initiationSchema,
  deposit: initiationSchema,
  createCollect: keyedInitiationSchema,
  createDeposit: keyedInitiationSchema,
  depositMultiple: z.array(initiationSchema).length(2),
  createBatch: batchSchema.refine((batch) => batch.depositCount === 2),
  listBatches: batchListSchema,
  getBatch: batchPageSchema.refine((batch) => batch.deposits.length === 1),
  cancelBatch: batchSchema.refine((batch) => batch.counts.FAILED === 1),
  transactionStatus: recordSchema,
  chekTransactionStatus: recordSchema,
  validateTransaction: recordSchema.refine((record) => record.status !== 'PENDING_APPROVAL'),
  rejectTransaction: recordSchema.refine((record) => record.status === 'FAILED'),
  getByApplicationProduct: pageSchema,
  getByApplicationProductAndPhoneReceiver: pageSchema,
  getByApplicationProductAndStatus: pageSchema,
  getTotalAmountByApplicationProductAndDateRange: z.number(),
  getTotalAmountByApplicationProduct: z.number().positive(),
  getByApplicationProductBalances: z.array(balanceSchema).length(13),
  listTransactions: transactionListSchema,
  cancelTransaction: laterRecordSchema.refine((record) => record.status === 'FAILED'),
  refundCollect: listedTransactionSchema.refine((refund) => refund.refundOf !== null),
  listRefunds: refundListSchema.refine((list) => list.remainingAmount > 0),
  listOperators: z.array(operatorStatusSchema).length(13),
  checkAccount: accountCheckSchema,
  listSettlementReports: z.array(settledDaySchema),
  getSettlementReport: settlementReportSchema,
  accessToken: tokenResponseSchema,
  refreshToken: tokenResponseSchema,
}

/** The examples of the reference, as they are shown. */
export function describeSamples(service: () => ContractService): void {
  describe('examples', () => {
    let partner: Partner
    let checker: string
    before(async () => {
      partner = await newPartner(service())
      checker = await newPerson(service(), partner, ['checker'])
      await fundDeposits(service(), partner, 'SNWAVE', 10_000_000_00n)
      await demandApproval(service(), partner, 100_000_00n)
      await signExampleDay(service())
    })

    async function variablesFor(id: string): Promise<Record<string, string>> {
      // These are about a transaction that waits for a checker.
      const amount = /^(validate|reject|cancel)Transaction$/.test(id) ? 100_001 : 500
      const made = expectOk(await call(service(), partner, 'deposit', { body: aRequest({ amount }) }), initiationSchema)
      const isRefund = id === 'refundCollect' || id === 'listRefunds'
      const tokens = id === 'refreshToken' ? await signIn(service().baseUrl, partner) : partner
      return {
        BASE_URL: service().baseUrl,
        API_ID: partner.apiId,
        API_KEY: partner.apiKey,
        ACCESS_TOKEN: partner.accessToken,
        API_USER: partner.username,
        API_PASSWORD: partner.password,
        REFRESH_TOKEN: tokens.refreshToken,
        TRANSACTION_ID: isRefund ? await makeCollect(service(), partner) : made.transactionId,
        BATCH_ID: id === 'getBatch' || id === 'cancelBatch' ? await makeWaitingBatch(service(), partner) : '',
        CHECKER_ID: checker,
      }
    }

    for (const language of SAMPLE_LANGUAGES.filter(isInstalled)) {
      test(`200 for every example in ${language}, with the answer that the reference describes`, async () => {
        for (const [id, { samples }] of readReference().operations) {
          const printed = await runSample(language, samples[language], await variablesFor(id))
          const answer = ANSWERS[id]?.safeParse(JSON.parse(printed))
          assert.ok(answer?.success, `${id}: ${printed} ${answer?.error?.message}`)
        }
      })

      test(`200 for a collect in ${language} with the values of the reader filled in, and neither variable left in any example`, async () => {
        const values = { baseUrl: service().baseUrl, apiId: partner.apiId }
        for (const [id, { samples }] of readReference().operations)
          assert.doesNotMatch(fillSamples(samples, values)[language], /BASE_URL|API_ID/, id)
        const { samples } = readReference().operations.get('collect') ?? assert.fail('no operation')
        const { BASE_URL: _baseUrl, API_ID: _apiId, ...variables } = await variablesFor('collect')
        initiationSchema.parse(JSON.parse(await runSample(language, fillSamples(samples, values)[language], variables)))
      })

      describePasted(language, variablesFor)

      test(`the five fields when an example in ${language} is refused`, async () => {
        const { samples } = readReference().operations.get('transactionStatus') ?? assert.fail('no operation')
        const variables = { ...(await variablesFor('')), API_KEY: 'wrong' }
        const told = await runSample(language, samples[language], variables).catch(toldBy)
        assert.match(told, /401/)
      })
    }

    test(`no syntax error in the PHP examples (${describeRun('php')})`, () => {
      for (const [id, { samples }] of readReference().operations) assert.doesNotThrow(() => parsePhp(samples.php), id)
    })

    test('no error from the TypeScript compiler, in its strict mode', compileSamples)
  })
}

/** The output of a program that failed: PHP without a php.ini prints errors there. */
function toldBy({ message, stdout }: Error & { stdout?: string }): string {
  return `${message}\n${stdout}`
}

/** A batch of one deposit, which waits for a checker. */
async function makeWaitingBatch({ baseUrl, pool }: ContractService, partner: Partner): Promise<string> {
  const { webhookUrl, ...deposit } = aRequest({ amount: 100_001 })
  const headers = { ...headersOf(partner), 'idempotency-key': randomUUID() }
  const body = JSON.stringify({ webhookUrl, deposits: [deposit] })
  const response = await fetch(`${baseUrl}/api/v2/batches`, { method: 'POST', headers, body })
  const { batchId } = batchSchema.parse(await response.json())
  await waitUntil('the batch is started', async () => {
    const { rowCount } = await pool.query("select 1 from batches where batch_id = $1 and state = 'submitted'", [batchId])
    return rowCount === 1
  })
  return batchId
}

/** A collect that succeeded, of which something is left for the example of a refund. */
async function makeCollect({ pool }: ContractService, { applicationId }: Partner): Promise<string> {
  const item = anIntakeItem(applicationId, { type: 'COLLECT' })
  await takeIn(pool, [item])
  await transition(pool, [{ applicationId, transactionId: item.transactionId, event: 'succeeded', actor: SYSTEM_ACTOR }])
  return item.transactionId
}

/** The day of the example of a settlement report, which two people have signed. */
async function signExampleDay({ pool }: ContractService): Promise<void> {
  const installation = await makeApplication(pool, 'Installation')
  await pool.query('update applications set runs_installation = true where application_id = $1', [installation])
  await insertSignedDay(pool, { installation, wallet: 'MOMOCM-collect', day: '2026-11-05' })
}

async function compileSamples(): Promise<void> {
  const sources = [...readReference().operations].map(([id, { samples }]) => [id, samples.typescript] as const)
  await compileStrictly([...sources, ['verify', VERIFY_WEBHOOK.typescript] as const].map(([id, source]) => [`${id}.mts`, source] as const))
}
