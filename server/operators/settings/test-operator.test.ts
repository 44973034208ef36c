import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { systemClock } from '#server/clock.ts'
import { createLogger } from '#server/logger.ts'
import { simulatedOperators } from '#server/operators/simulator/simulated-operators.ts'
import { type Simulator, startSimulator } from '#server/operators/simulator/start-simulator.ts'
import { readBooks } from '#server/operators/testing/compare-books.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { must } from '#server/testing/partner.ts'
import { setOperator } from './set-operator.ts'
import { testOperator } from './test-operator.ts'

const SECRET = 'a secret of the simulator'
let database: TestDatabase
let simulator: Simulator
let folder: string
before(async () => {
  database = await createTestDatabase()
  folder = await mkdtemp(path.join(tmpdir(), 'countersign-operators-'))
  simulator = await startSimulator({ port: 0, folder, secret: SECRET })
})
after(async () => {
  await simulator.close()
  await database.drop()
  await rm(folder, { recursive: true, force: true })
})

const put = async (operator: 'UGAIRTEL' | 'OMCM' | 'SNOM' | 'BJMOOV' | 'MLMOOV', overrides: Record<string, unknown>) => {
  const { protocol, document } = simulatedOperators(simulator.url, SECRET).find((one) => one.operator === operator) ?? assert.fail()
  must(await setOperator(database.pool, { operator, protocol, changes: { ...document, ...overrides }, actor: SYSTEM_ACTOR }))
}

for (const [operator, phoneNumber, balance, wrong, account] of [
  ['UGAIRTEL', '256702209905', 'collect 100000000 UGX, deposit 100000000 UGX', 'clientSecret', 'not_registered'],
  ['OMCM', '237690209905', 'collect not reported, deposit not reported', 'apiPassword', 'not_registered'],
  ['SNOM', '221772093905', 'collect not reported, deposit 100000000 XOF', 'clientSecret', 'the protocol has no such call'],
  ['BJMOOV', '2290195209905', 'collect 100000000 XOF, deposit 100000000 XOF', 'password', 'not_registered'],
  ['MLMOOV', '22366209905', 'collect 100000000 XOF, deposit 100000000 XOF', 'password', 'not_registered'],
] as const) {
  test(`signed in, balance and account of ${operator} without moving money; not working with a wrong ${wrong}`, async () => {
    const deps = { pool: database.pool, clock: systemClock, logger: createLogger('silent') }
    await put(operator, {})
    assert.deepEqual(must(await testOperator(deps, operator, phoneNumber)), {
      isWorking: true,
      steps: [
        { step: 'directions', outcome: 'COLLECT DEPOSIT' },
        { step: 'balance', outcome: balance },
        { step: 'account', outcome: account },
      ],
    })
    await put(operator, { [wrong]: 'wrong' })
    assert.equal(must(await testOperator(deps, operator, undefined)).isWorking, false)
    assert.equal((await readBooks(simulator.url)).size, 0)
  })
}
