import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { RuleSource, TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import { createDirectory } from '#server/applications/directory.ts'
import type { ApplicationSnapshot } from '#server/applications/snapshot.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { createTestPartner } from '#server/testing/partner.ts'
import { findExternalIdProblems, type StartRequest } from './find-start-problems.ts'
import { createIntake } from './intake.ts'
import { type StartTransactionsDeps, startTransactions } from './start-transactions.ts'

const NAMED = 'https://partner.example/hook'
const DEFAULT = 'https://partner.example/default'

let database: TestDatabase
let deps: StartTransactionsDeps
let application: ApplicationSnapshot
before(async () => {
  database = await createTestDatabase()
  const { applicationId } = await createTestPartner(database.pool)
  deps = { pool: database.pool, intake: createIntake({ pool: database.pool }), connectors: { has: () => true, limitsOf: () => undefined } }
  const directory = await createDirectory({ pool: database.pool })
  const found = directory.find(applicationId)
  await directory.close()
  assert.ok(found)
  application = { ...found, defaultWebhookUrl: DEFAULT }
})
after(() => database.drop())

type Start = { type: TransactionType; source: RuleSource; application: ApplicationSnapshot; request: StartRequest }

function aStart(source: RuleSource, webhookUrl: string | null): Start {
  const request = {
    transferMethod: 'MOMOCM',
    customerName: 'Clarisse Mbarga',
    externalId: randomUUID(),
    phoneNumber: '237677209341',
    amount: 500_000n,
    webhookUrl,
    countryName: 'CAMEROON',
  } as const
  return { type: 'DEPOSIT', source, application, request }
}

/** Returns the verdict of intake on a single request: created, existing or conflict. */
async function take({ type, source, application, request }: Start): Promise<string> {
  const person = { kind: 'person', id: randomUUID(), applicationId: application.applicationId, roles: ['maker'] } as const
  const starter = source === 'api' ? { source, actor: { kind: 'api' as const, id: randomUUID() } } : { source, actor: person }
  const result = await startTransactions(deps, { ...starter, application, type, requests: [request] })
  if (!result.ok) return result.error.kind === 'refused' ? (result.error.problems[0]?.kind ?? '') : result.error.kind
  return result.value[0]?.kind ?? ''
}

/** Returns the verdict of the check of several requests on the same one. */
async function check({ type, source, application, request }: Start): Promise<string> {
  const requests = [aStart(source, null).request, request]
  const problems = await findExternalIdProblems(database.pool, application, { type, source }, requests)
  assert.ok(problems.every(({ index, kind }) => index === 1 && kind === 'external_id_taken'))
  return problems.length === 0 ? 'existing' : 'external_id_taken'
}

/** The fields by which a request is recognised: with another one of these it is another payment, whoever sends it. */
const CONTENT: ReadonlySet<string> = new Set(['type', 'operator', 'name', 'phone', 'amount'])

const CHANGES: [name: string, change: (start: Start) => Start][] = [
  ['nothing', (start) => start],
  ['type', (start) => ({ ...start, type: 'COLLECT' })],
  ['operator', (start) => ({ ...start, request: { ...start.request, transferMethod: 'OMCM' } })],
  ['name', (start) => ({ ...start, request: { ...start.request, customerName: 'Clarisse' } })],
  ['phone', (start) => ({ ...start, request: { ...start.request, phoneNumber: '237677209342' } })],
  ['amount', (start) => ({ ...start, request: { ...start.request, amount: 500_001n } })],
  ['address', (start) => ({ ...start, request: { ...start.request, webhookUrl: 'https://partner.example/other' } })],
  ['no address', (start) => ({ ...start, request: { ...start.request, webhookUrl: null } })],
  ['the default address named', (start) => ({ ...start, request: { ...start.request, webhookUrl: DEFAULT } })],
  ['another default address', (start) => ({ ...start, application: { ...start.application, defaultWebhookUrl: NAMED } })],
  ['source api', (start) => ({ ...start, source: 'api' })],
  ['source person', (start) => ({ ...start, source: 'person' })],
  ['source file', (start) => ({ ...start, source: 'file' })],
  [
    'source and default address',
    ({ application, ...start }) => ({
      ...start,
      source: start.source === 'person' ? 'file' : 'person',
      application: { ...application, defaultWebhookUrl: null },
    }),
  ],
]

for (const source of ['api', 'person', 'file'] as const) {
  for (const webhookUrl of source === 'api' ? [NAMED, DEFAULT] : [null]) {
    test(`external_id_taken for other content; the check of several requests and intake agree about each change of one of source ${source} with ${webhookUrl ?? 'no'} address`, async () => {
      const first = aStart(source, webhookUrl)
      assert.equal(await take(first), 'created')
      const verdicts = new Set<string>()
      for (const [name, change] of CHANGES) {
        const again = change(first)
        const verdict = await take(again)
        verdicts.add(verdict)
        assert.equal(await check(again), verdict, name)
        // A person and a file name no address: only within one of them, another default address makes no other payment.
        const isOther = CONTENT.has(name) || (name === 'source and default address' && source !== 'api')
        if (isOther) assert.equal(verdict, 'external_id_taken', name)
      }
      assert.deepEqual([...verdicts].sort(), ['existing', 'external_id_taken'])
    })
  }
}
