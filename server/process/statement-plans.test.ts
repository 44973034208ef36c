import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Pool } from '#server/database/pool.ts'
import { OperatorHarness } from '#server/operators/testing/operator-harness.ts'
import { type CallbackRow, storeCallbacks } from '#server/operators/work/operator-work-store.ts'
import { administer } from '#server/testing/database.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { closeEverything, startLoop, startReceiver, untilFinished } from '#server/webhooks/testing.ts'

/** The functions that move transactions, batch by batch. */
const FUNCTIONS = [
  'apply_transitions',
  'claim_operator_work',
  'record_webhook_outcomes',
  'start_transactions',
  'start_webhook_attempts',
  'store_operator_answers',
  'store_operator_callbacks',
]
/** The tables that every transaction writes to. */
const TABLES =
  'transactions|transaction_events|transaction_days|ledger_postings|operator_work|operator_attempts|webhook_deliveries|webhook_attempts'
const SETTINGS = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_nested_statements': 'on',
  'auto_explain.log_level': 'notice',
  // The plan of the first call is kept, as it is otherwise after the fifth.
  plan_cache_mode: 'force_generic_plan',
}

let harness: OperatorHarness
before(async () => {
  harness = await OperatorHarness.open()
})
after(async () => {
  await closeEverything()
  await harness.close()
})

test('a key for each look-up in a table that grows, also in plans that were made while it was empty', async () => {
  const { pool, url } = harness.database
  await pool.query('vacuum analyze')
  const plans = await collectPlans(pool, url)
  const receiver = await startReceiver((response) => response.end())
  const loop = startLoop(pool)
  // Long enough that the callback comes first, on a busy machine too.
  harness.startDispatcher({ pollDelaysMs: [10_000] })
  for (const type of ['DEPOSIT', 'COLLECT', 'DEPOSIT', 'COLLECT'] as const) {
    await harness.untilFinal(await harness.make({ type, webhookUrl: receiver.url }))
    loop.wake()
    await untilFinished(pool, harness.applicationId)
  }
  // A signed callback is stored with the end of its transaction, and only others are stored by their own function.
  await storeCallbacks(pool, [await anUnsignedCallback()], 250)
  const moving = plans.filter(({ functionName }) => FUNCTIONS.includes(functionName))
  assert.deepEqual([...new Set(moving.map(({ functionName }) => functionName))].sort(), FUNCTIONS)
  assert.deepEqual(
    new Set(moving.flatMap(({ functionName, plan }) => findScans(plan).map((scan) => `${functionName}: ${scan}`))),
    new Set(),
  )
})

async function anUnsignedCallback(): Promise<CallbackRow> {
  const { applicationId, transactionId, operator } = await harness.make()
  const key = { application_id: applicationId, transaction_id: transactionId, operator }
  return { item_index: 0, ...key, outcome: 'pending', answer: '{}', is_verified: false }
}

/** Returns a list to which the plan of every statement inside a function is added from now on. */
async function collectPlans(pool: Pool, databaseUrl: string): Promise<{ functionName: string; plan: string }[]> {
  const plans: { functionName: string; plan: string }[] = []
  pool.on('connect', (client) => {
    client.on('notice', ({ where = '', message = '' }) => {
      const functionName = /PL\/pgSQL function (\w+)/.exec(where)?.[1]
      if (functionName) plans.push({ functionName, plan: message })
    })
  })
  const serverUrl = process.env['TEST_DATABASE_URL'] ?? ''
  const name = new URL(databaseUrl).pathname.slice(1)
  for (const [setting, value] of Object.entries(SETTINGS)) await administer(serverUrl, `alter database ${name} set ${setting} = '${value}'`)
  await administer(serverUrl, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
  await waitUntil('all connections are closed', () => pool.totalCount === 0)
  return plans
}

/** The scans of a plan that read all of a table or index. */
function findScans(plan: string): string[] {
  const lines = plan.split('\n')
  return lines.filter(
    (line, number) =>
      new RegExp(`(Index|Index Only|Seq|Bitmap Heap) Scan.* on (${TABLES})\\b`).test(line) &&
      !/(Index|Recheck) Cond:/.test(lines[number + 1] ?? ''),
  )
}
