import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { utcDayOf } from '#lib/time/time.ts'
import { createTestDatabase } from '#server/testing/database.ts'
import { must } from '#server/testing/partner.ts'
import { SYSTEM_ACTOR, transition } from '#server/transactions/transition.ts'
import { readDays } from '../days/read-days.ts'
import { importStatement } from '../statements/decide-statement.ts'
import { createDesk, type Desk } from '../testing/reconciliation-desk.ts'
import { csv, MOOV_HEADER } from '../testing/statements.ts'
import { readWallet } from '../wallets/wallet-store.ts'
import { matchByHand, undoMatch } from './match-by-hand.ts'
import { matchRecent } from './match-wallet.ts'

/** How many interleavings; in the long run 1,000. */
const RUNS = Number(process.env['INTERLEAVINGS'] ?? 6)
const WALLET = 'MLMOOV'
const PHONE = '70123456'

const moov = (id: string) => {
  const time = new Date().toISOString().slice(0, 19).replace('T', ' ')
  return [id, `\t${time}`, '', 'Payment', 'Completed', 'XOF', '500', '', '', 'Pay', `223${PHONE} - X`, '', '']
}
const fileOf = (ids: readonly string[]) => csv([MOOV_HEADER, ...ids.map(moov)])

const plans = fc.record({
  /** Lines that are there before, and those of two files that come at the same time; the files share some. */
  before: fc.integer({ min: 1, max: 3 }),
  first: fc.integer({ min: 1, max: 3 }),
  second: fc.integer({ min: 1, max: 3 }),
  shared: fc.integer({ min: 0, max: 2 }),
  ended: fc.integer({ min: 0, max: 3 }),
  /** Payments whose result arrives meanwhile, as SUCCESS or FAILED. */
  ending: fc.array(fc.constantFrom('succeeded' as const, 'failed' as const), { maxLength: 3 }),
  hands: fc.array(fc.tuple(fc.nat(), fc.nat(), fc.boolean()), { maxLength: 3 }),
  order: fc.infiniteStream(fc.nat()),
})
type Plan = typeof plans extends fc.Arbitrary<infer One> ? One : never

const pay = (desk: Desk, event: 'succeeded' | null) =>
  desk.pay({ operator: 'MLMOOV', type: 'COLLECT', amountMinor: 50_000n, phoneNumber: `223${PHONE}`, event })

/** Uploads and checks a file, and has it wait for its import. */
async function waiting(desk: Desk, ids: readonly string[]): Promise<void> {
  const { fileId } = await desk.upload(WALLET, fileOf(ids))
  await desk.work()
  must(await importStatement(desk.pool, { applicationId: desk.applicationId, fileId, actor: desk.actor }))
}

async function runTogether(desk: Desk, given: Plan): Promise<void> {
  const { pool, applicationId, actor } = desk
  const ids = (name: string, count: number) => Array.from({ length: count }, (_, place) => `${name}${place}`)
  const ended = await Promise.all(Array.from({ length: given.ended }, () => pay(desk, 'succeeded')))
  const open = await Promise.all(given.ending.map(() => pay(desk, null)))
  await desk.bring(WALLET, fileOf(ids('B', given.before)))
  const shared = ids('S', given.shared)
  await waiting(desk, [...ids('F', given.first), ...shared])
  await waiting(desk, [...shared.toReversed(), ...ids('G', given.second)])
  const { rows } = await pool.query<{ lineId: bigint }>('select line_id as "lineId" from statement_lines order by line_id')
  const by = (line: number) => ({ applicationId, actor, lineId: rows[line % rows.length]?.lineId ?? 0n, note: 'seen at the counter' })
  const payments = [...ended, ...open]
  const actions: (() => Promise<unknown>)[] = [
    () => desk.work(),
    () => desk.work(),
    () => matchRecent(pool, new Date()),
    () => matchRecent(pool, new Date()),
    ...open.map((item, place) => async () => {
      const event = given.ending[place] ?? 'failed'
      return transition(pool, [{ ...item, event, message: 'x', operatorReference: undefined, actor: SYSTEM_ACTOR }])
    }),
    ...given.hands.map(([line, payment, isUndone]) => async () => {
      const item = payments[payment % Math.max(1, payments.length)]
      return isUndone || !item ? undoMatch(pool, by(line)) : matchByHand(pool, { ...by(line), transactionId: item.transactionId })
    }),
  ]
  const keyed = actions.map((action) => ({ action, key: given.order.next().value ?? 0 }))
  await Promise.all(keyed.toSorted((left, right) => left.key - right.key).map(({ action }) => action()))
  // The results that a lock made wait.
  await desk.work()
  await matchRecent(pool, new Date())
}

/** Everything that is in two places, or matched although it must not be. */
async function findDoubled({ pool }: Desk) {
  const { rows } = await pool.query<{ found: string }>(
    `select 'line in two matches ' || line_id as found from line_matches group by line_id having count(*) > 1
     union all
     select 'transaction in two groups ' || transaction_id from line_matches group by transaction_id, effect
      having count(distinct coalesce(group_id::text, line_id::text)) filter (where ordinal = 0) > 1
     union all
     select 'group of unequal counts ' || group_id from line_matches where group_id is not null
      group by group_id having count(distinct line_id) <> count(distinct transaction_id)
     union all
     select 'taken apart and matched again ' || m.line_id from line_matches m
       join match_events e on e.line_id = m.line_id and e.transaction_id = m.transaction_id and e.event = 'undone' where m.rule <> 'person'`,
  )
  return rows.map(({ found }) => found)
}

test('nothing in two groups and nothing unexplained: files, results, runs of the matcher and people at the same time', async () => {
  await fc.assert(
    fc.asyncProperty(plans, async (given) => {
      const database = await createTestDatabase()
      try {
        const desk = await createDesk(database.pool)
        await runTogether(desk, given)
        assert.deepEqual(await findDoubled(desk), [])
        const { rows } = await desk.pool.query<{ lines: number }>('select count(*)::integer as lines from statement_lines')
        assert.deepEqual(rows, [{ lines: given.before + given.first + given.second + given.shared }])
        const wallet = (await readWallet(desk.pool, desk.applicationId, WALLET)) ?? assert.fail('it exists')
        const today = utcDayOf(new Date())
        for (const { unexplained } of await readDays(desk.pool, { applicationId: desk.applicationId, wallet, from: today, to: today }))
          assert.equal(unexplained, '0')
      } finally {
        await database.drop()
      }
    }),
    { numRuns: RUNS },
  )
})
