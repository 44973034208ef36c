import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { err, ok, type Result } from '#lib/result.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import type { TrxClient } from './pool.ts'
import { withTransaction } from './with-transaction.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
  await database.pool.query('create table written (name text primary key)')
})
after(() => database.drop())
beforeEach(() => database.pool.query('delete from written'))

type Outcome = 'done' | 'refused'

/** A command that writes its name, runs `inner` as a part of its own transaction, writes once more, and is then refused or not. */
function command(name: string, outcome: Outcome, inner: (trx: TrxClient) => Promise<unknown> = async () => undefined) {
  return (trx: TrxClient) =>
    withTransaction<null, 'refused'>(trx, async (part): Promise<Result<null, 'refused'>> => {
      await part.query('insert into written values ($1)', [name])
      await inner(part)
      await part.query('insert into written values ($1)', [`${name} later`])
      return outcome === 'done' ? ok(null) : err('refused')
    })
}

async function writtenAfter(work: (trx: TrxClient) => Promise<unknown>): Promise<string[]> {
  await withTransaction<null, never>(database.pool, async (trx) => {
    await work(trx)
    return ok(null)
  })
  const { rows } = await database.pool.query<{ name: string }>('select name from written order by name')
  return rows.map(({ name }) => name)
}

for (const inner of ['done', 'refused'] as const) {
  test(`nothing of a nested command that is refused after the one inside it was ${inner}`, async () => {
    const written = await writtenAfter(async (trx) => {
      await command('before', 'done')(trx)
      await command('outer', 'refused', command('inner', inner))(trx)
      await command('after', 'done')(trx)
    })
    assert.deepEqual(written, ['after', 'after later', 'before', 'before later'])
  })
}

test('everything but the writes of the one command that is refused, among several at two depths', async () => {
  const written = await writtenAfter(
    command('outer', 'done', async (trx) => {
      await command('first', 'refused')(trx)
      await command('second', 'done', command('third', 'refused'))(trx)
    }),
  )
  assert.deepEqual(written, ['outer', 'outer later', 'second', 'second later'])
})
