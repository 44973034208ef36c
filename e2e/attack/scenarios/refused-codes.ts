import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from '#server/database/pool.ts'
import { startBystander } from './bystander.ts'
import { type Caller, keepUp, openCaller } from './caller.ts'
import type { Scenario, ScenarioContext } from './scenario.ts'

const OPERATOR = 'BFOM'
/** Codes of one number that an operator may see refused in a day, over all applications. */
const REFUSALS_MAX = 6
const LANES = 8
const STEP_LIMIT_MS = 30_000

type Program = ScenarioContext['arsenal']['program']
type Collect = { transactionId: string; payToken: string }
type Row = { status: string; message: string | null; state: string | null }

/**
 * Two partners try out the codes of one customer's number, with as many payments and guesses as they can make. The operator sees six of them,
 * one payment at a time asks the customer, and another number still pays.
 */
export const refusedCodes: Scenario = {
  name: 'refused-codes',
  async play(context) {
    const { arsenal, service, minutes } = context
    const phoneNumber = numberOf()
    const caller = openCaller(arsenal.baseUrl, { connections: LANES * 2 })
    const bystander = startBystander(context)
    try {
      return await service.withDatabase(async (pool) => {
        const problems = await oneAtATime(pool, caller, arsenal, phoneNumber)
        const endsAtMs = performance.now() + Math.max(10_000, minutes * 60_000)
        const made = new Set<string>()
        await keepUp(LANES, endsAtMs, (lane) => tryOut(pool, caller, lane % 2 === 0 ? arsenal.program : arsenal.other, phoneNumber, made))
        problems.push(...(await judge(pool, phoneNumber, made.size)))
        problems.push(...(await anotherNumberPays(pool, caller, arsenal.program)))
        context.say(`        ${made.size} payments of one number`)
        return [...problems, ...(await bystander.judge())]
      })
    } finally {
      await caller.close()
    }
  },
}

/** The second payment of a number fails while the first one awaits its code. */
async function oneAtATime(
  pool: Pool,
  caller: Caller,
  { program, other }: ScenarioContext['arsenal'],
  phoneNumber: string,
): Promise<string[]> {
  const first = await collect(caller, program, phoneNumber)
  if (!first) return ['the first payment of a number was refused']
  // As a tester: the simulated customer would enter the right code.
  await caller.get(`/pay/${first.payToken}`)
  if (!(await until(pool, first, ({ state }) => state === 'awaiting_code')))
    return ['the first payment of a number does not ask for a code']
  await caller.get(`/pay/${first.payToken}`)
  const second = await collect(caller, other, phoneNumber)
  const hasFailed = second && (await until(pool, second, ({ status }) => status === 'FAILED'))
  await guess(pool, caller, first)
  return hasFailed ? [] : ['a second payment of a number did not fail while the first one awaits a code']
}

/** Makes a payment and guesses its codes. */
async function tryOut(pool: Pool, caller: Caller, program: Program, phoneNumber: string, made: Set<string>): Promise<void> {
  const payment = await collect(caller, program, phoneNumber)
  if (!payment) return void (await delay(100))
  made.add(payment.transactionId)
  await guess(pool, caller, payment)
}

/** Guesses until the payment has ended, several times at once. */
async function guess(pool: Pool, caller: Caller, payment: Collect): Promise<void> {
  await until(pool, payment, async ({ status, state }) => {
    if (state === 'awaiting_code') {
      await caller.get(`/pay/${payment.payToken}`)
      await Promise.all(
        Array.from({ length: 3 }, () => caller.submit(`/pay/${payment.payToken}/code`, { code: String(randomInt(100_000, 999_999)) })),
      )
    }
    return status !== 'PENDING'
  })
}

async function judge(pool: Pool, phoneNumber: string, made: number): Promise<string[]> {
  const { rows } = await pool.query<{ refused: number }>(
    `select count(*)::int as refused from transactions t join all_operator_attempts a using (application_id, transaction_id)
       where t.phone_number = $1 and t.operator = $2 and a.outcome in ('wrong_code', 'failed') and a.answer not like 'Not sent%'`,
    [phoneNumber, OPERATOR],
  )
  const { refused = 0 } = rows[0] ?? {}
  const problems: string[] = []
  if (refused > REFUSALS_MAX) problems.push(`the operator refused ${refused} codes of one number, allowed are ${REFUSALS_MAX}`)
  if (refused < REFUSALS_MAX)
    problems.push(`only ${refused} codes were refused with ${made} payments: the scenario did not reach what it is for`)
  return problems
}

async function anotherNumberPays(pool: Pool, caller: Caller, program: Program): Promise<string[]> {
  const payment = await collect(caller, program, numberOf())
  // The simulated customer enters the right code.
  const paid = payment && (await until(pool, payment, ({ status }) => status === 'SUCCESS'))
  return paid ? [] : ['a payment of another number was not made']
}

async function collect(caller: Caller, { apiKey, apiId, accessToken }: Program, phoneNumber: string): Promise<Collect | undefined> {
  const body = {
    transferMethod: OPERATOR,
    customerName: 'Awa Ouédraogo',
    externalId: randomUUID(),
    phoneNumber,
    amount: 500,
    webhookUrl: 'http://127.0.0.1:9/none',
    countryName: 'BURKINA_FASO',
  }
  const reply = await caller.post('/api/v1/transaction/collect', body, { apiKey, apiId, authorization: `Bearer ${accessToken}` })
  return reply.status === 200 ? (reply.body as Collect) : undefined
}

async function until(pool: Pool, { transactionId }: Collect, condition: (row: Row) => boolean | Promise<boolean>): Promise<boolean> {
  const endsAtMs = performance.now() + STEP_LIMIT_MS
  while (performance.now() < endsAtMs) {
    const { rows } = await pool.query<Row>(
      `select t.status, t.message, w.state from transactions t left join operator_work w using (application_id, transaction_id) where t.transaction_id = $1`,
      [transactionId],
    )
    if (rows[0] && (await condition(rows[0]))) return true
    await delay(100)
  }
  return false
}

/** One that the simulated operator treats as usual. */
function numberOf(): string {
  return `22676${randomInt(100, 999)}341`
}
