import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { z } from 'zod'
import { demandApproval, fundDeposits, newPartner, newPerson } from '#e2e/contract/arrange.ts'
import { aRequest, call, expectOk } from '#e2e/contract/partner-program.ts'
import { type ContractService, type Partner, signIn } from '#e2e/contract/service.ts'
import { SAMPLE_LANGUAGES } from '#lib/partner/reference.ts'
import { accountCheckSchema, operatorStatusSchema } from '#lib/schemas/operator-responses.ts'
import { tokenResponseSchema } from '#lib/schemas/queries.ts'
import { balanceSchema, initiationSchema, pageSchema, recordSchema } from '#lib/schemas/responses.ts'
import { settledDaySchema, settlementReportSchema } from '#lib/schemas/settlement-responses.ts'
import { listedTransactionSchema, refundListSchema, transactionListSchema } from '#lib/schemas/transaction-responses.ts'
import { readReference } from '#server/http/reference/read-reference.ts'
import { VERIFY_WEBHOOK } from '#server/http/reference/samples/verify-webhook.ts'
import { insertSignedDay } from '#server/reconciliation/testing/signed-day.ts'
import { anIntakeItem, makeApplication } from '#server/testing/factories.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { SYSTEM_ACTOR, transition } from '#server/transactions/transition.ts'
import { describeRun, isInstalled, parsePhp, runSample } from './run-sample.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')
const ANSWERS: Record<string, z.ZodType> = {
  collect: initiationSchema,
  deposit: initiationSchema,
  createCollect: initiationSchema,
  createDeposit: initiationSchema,
  depositMultiple: z.array(initiationSchema).length(2),
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
  cancelTransaction: recordSchema.refine((record) => record.status === 'FAILED'),
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

      test(`the five fields when an example in ${language} is refused`, async () => {
        const { samples } = readReference().operations.get('transactionStatus') ?? assert.fail('no operation')
        const variables = { ...(await variablesFor('')), API_KEY: 'wrong' }
        const told = await runSample(language, samples[language], variables).catch((error: Error) => error.message)
        assert.match(told, /401/)
      })
    }

    test(`no syntax error in the PHP examples (${describeRun('php')})`, () => {
      for (const [id, { samples }] of readReference().operations) assert.doesNotThrow(() => parsePhp(samples.php), id)
    })

    test('no error from the TypeScript compiler, in its strict mode', compileSamples)
  })
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
  const folder = await mkdtemp(path.join(tmpdir(), 'countersign-types-'))
  try {
    const sources = [...readReference().operations].map(([id, { samples }]) => [id, samples.typescript])
    for (const [id, source] of [...sources, ['verify', VERIFY_WEBHOOK.typescript]])
      await writeFile(path.join(folder, `${id}.mts`), `${source}\n`)
    const compilerOptions = {
      strict: true,
      noEmit: true,
      module: 'nodenext',
      target: 'es2024',
      moduleDetection: 'force',
      types: ['node'],
      typeRoots: [path.join(ROOT, 'node_modules/@types')],
    }
    await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
    const compiled = promisify(execFile)(process.execPath, [path.join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', folder])
    await assert.doesNotReject(compiled)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
