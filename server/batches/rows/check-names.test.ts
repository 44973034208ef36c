import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createAccountChecks } from '#server/account-checks/check-account.ts'
import { listAudit } from '#server/audit/read-audit.ts'
import { readBatchRows } from '#server/reports/batches/read-batch.ts'
import { readNames } from '#server/reports/batches/read-names.ts'
import { must } from '#server/testing/partner.ts'
import { discardBatch } from '../edit-batch.ts'
import { BatchHarness, type Scene } from '../testing/batch-harness.ts'
import { askForNames, checkNames } from './check-names.ts'

let harness: BatchHarness
before(async () => {
  harness = await BatchHarness.open()
})
after(() => harness.close())

/** An operator that knows every account as CLARISSE M.; only MTN in Cameroon can be asked. Returns the numbers it was asked about. */
function anOperator() {
  const asked: string[] = []
  const checkAccount = async (phoneNumber: string) => {
    asked.push(phoneNumber)
    return { kind: 'active' as const, holderName: 'CLARISSE M.' }
  }
  // Without pauses between its calls.
  let nowMs = 0
  const accountChecks = createAccountChecks({
    pool: harness.pool,
    connectors: { get: (operator) => (operator === 'MOMOCM' ? { checkAccount } : {}) },
    nowMs: () => (nowMs += 1_000),
  })
  return { asked, turn: () => checkNames({ pool: harness.pool, accountChecks }, () => false) }
}

const numberOf = (index: number) => `2376772093${String(index).padStart(2, '0')}`
const linesOf = (count: number) => Array.from({ length: count }, (_, index) => `${numberOf(index)};Clarisse Mbarga;5000;MOMOCM`)
const ask = async (one: Scene) => askForNames(harness.pool, await harness.command(one))
const setMax = (one: Scene, max: number) =>
  harness.pool.query('update applications set account_checks_max = $2 where application_id = $1', [one.applicationId, max])

test('ten accounts in a turn, each once, until all are checked; another name and the rows that have it are named, and nothing is a problem', async () => {
  const lines = [...linesOf(11), `${numberOf(0)};Clarisse Mbarga;100;MOMOCM`, '237699123456;Awa;700;OMCM', 'x;Awa;700;MOMOCM']
  const one = await harness.scene([...lines, `${numberOf(20)};Jean Talla;700;MOMOCM`])
  assert.equal(await readNames(harness.pool, one), null)
  const operator = anOperator()
  must(await ask(one))
  await operator.turn()
  assert.equal(operator.asked.length, 10)
  assert.deepEqual(await ask(one), { ok: false, error: 'in_progress' })
  await operator.turn()
  await operator.turn()
  assert.deepEqual(new Set(operator.asked).size, 12)
  assert.equal(operator.asked.length, 12)
  assert.deepEqual(await readNames(harness.pool, one), { state: 'complete', receiverCount: 13, checkedCount: 12, doubtful: [16] })
  const rows = await readBatchRows(harness.pool, { ...one, columns: null }, { show: 'all', page: 0 })
  assert.deepEqual(
    [2, 14, 16].map((wanted) => rows.find(({ rowNumber }) => rowNumber === wanted)?.account),
    [
      { answer: 'active', holderName: 'CLARISSE M.', checkedAt: rows[0]?.account?.checkedAt, isOtherName: false },
      null,
      { answer: 'active', holderName: 'CLARISSE M.', checkedAt: rows.at(-1)?.account?.checkedAt, isOtherName: true },
    ],
  )
  assert.equal((await harness.stored(one)).problem_count, 1)
  const entries = await listAudit(harness.pool, one.applicationId, { size: 100 })
  const count = (action: string) => entries.filter((entry) => entry.action === action).length
  assert.deepEqual([count('batch.names_asked'), count('account.checked')], [1, 12])
})

test('limited once the file has used half of what its maker may check in 24 hours, also for a second wish; another file may use the other half', async () => {
  const [one, operator] = [await harness.scene(linesOf(9)), anOperator()]
  await setMax(one, 24)
  must(await ask(one))
  await operator.turn()
  assert.deepEqual([operator.asked.length, (await readNames(harness.pool, one))?.state], [3, 'limited'])
  must(await ask(one))
  await operator.turn()
  assert.deepEqual([operator.asked.length, (await readNames(harness.pool, one))?.state], [3, 'limited'])
})

test('nobody is asked about known accounts again, for a discarded batch, or for a person who is no maker', async () => {
  const [one, operator] = [await harness.scene(linesOf(2)), anOperator()]
  must(await ask(one))
  await operator.turn()
  must(await ask(one))
  await operator.turn()
  assert.equal(operator.asked.length, 2)
  const discarded = await harness.scene(linesOf(1))
  must(await ask(discarded))
  must(await discardBatch(harness.deps(), await harness.command(discarded)))
  const left = await harness.scene(linesOf(1))
  must(await ask(left))
  await harness.pool.query(`update memberships set roles = '{checker}' where application_id = $1`, [left.applicationId])
  await operator.turn()
  assert.equal(operator.asked.length, 2)
  assert.deepEqual(
    [(await readNames(harness.pool, discarded))?.state, (await readNames(harness.pool, left))?.state],
    ['stopped', 'stopped'],
  )
})
