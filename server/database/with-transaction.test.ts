import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { err, ok, type Result } from '#lib/result.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import type { TrxClient } from './pool.ts'
import { createPool } from './pool.ts'
import { ChangedMeanwhileError, isDataError, openSnapshot, withSnapshot, withTransaction } from './with-transaction.ts'

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

const writtenNames = async () =>
  (await database.pool.query<{ name: string }>('select name from written order by name')).rows.map(({ name }) => name)

/** Writes once per call, and throws this error in the first `times` of them. */
function failing(error: Error, times: number) {
  let calls = 0
  const done = withTransaction<number, never>(database.pool, async (trx) => {
    calls++
    await trx.query('insert into written values ($1)', [`call ${calls}`])
    if (calls <= times) throw error
    return ok(calls)
  })
  return { done, calls: () => calls }
}

const withCode = (code: unknown) => Object.assign(new Error('refused'), { code })

for (const [name, error] of [
  ['a deadlock', withCode('40P01')],
  ['a serialization failure', withCode('40001')],
  ['what changed meanwhile', new ChangedMeanwhileError('changed')],
] as const) {
  test(`run again after ${name}, at most three times, and nothing is left of what was cancelled`, async () => {
    const third = failing(error, 3)
    assert.deepEqual(await third.done, { ok: true, value: 4 })
    assert.deepEqual(await writtenNames(), ['call 4'])
    await database.pool.query('delete from written')
    const fourth = failing(error, 4)
    await assert.rejects(fourth.done, error)
    assert.deepEqual([fourth.calls(), await writtenNames()], [4, []])
  })
}

test('thrown at once, and nothing written, for every other error', async () => {
  for (const error of [withCode('23505'), withCode(40_001), new Error('a bug')]) {
    const { done, calls } = failing(error, 9)
    await assert.rejects(done, error)
    assert.deepEqual([calls(), await writtenNames()], [1, []])
  }
})

test('nothing written by a command that is refused', async () => {
  const refused = await withTransaction<null, 'refused'>(database.pool, async (trx) => {
    await trx.query(`insert into written values ('a')`)
    return err('refused')
  })
  assert.deepEqual([refused, await writtenNames()], [{ ok: false, error: 'refused' }, []])
})

test('a deadlock inside a part is passed to the command around it, which runs once again as a whole', async () => {
  let calls = 0
  const done = await withTransaction<null, never>(database.pool, async (trx) => {
    calls++
    await trx.query('insert into written values ($1)', [`outer ${calls}`])
    await withTransaction<null, never>(trx, async () => {
      if (calls === 1) throw withCode('40P01')
      return ok(null)
    })
    return ok(null)
  })
  assert.deepEqual([done.ok, calls, await writtenNames()], [true, 2, ['outer 2']])
})

test('the connection goes back to its pool after each end, and a broken one does not', async () => {
  const pool = createPool({ databaseUrl: database.url, connectionsMax: 1, applicationName: 'one connection' })
  try {
    const pids = new Set<number>()
    const run = (end: (trx: TrxClient) => Promise<Result<null, 'refused'>>) =>
      withTransaction<null, 'refused'>(pool, async (trx) => {
        pids.add((await trx.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid ?? 0)
        return end(trx)
      })
    await run(async () => ok(null))
    await run(async () => err('refused'))
    await assert.rejects(run(() => Promise.reject(new Error('a bug'))))
    await withSnapshot(pool, (snapshot) => snapshot.query('select'))
    await (await openSnapshot(pool)).close()
    assert.equal(pids.size, 1)
    await assert.rejects(
      run(async (trx) => {
        await trx.query('select pg_terminate_backend(pg_backend_pid())')
        return ok(null)
      }),
    )
    await run(async () => ok(null))
    assert.equal(pids.size, 2)
  } finally {
    await pool.end()
  }
})

test('one view that does not change and cannot be written, read at once or piece by piece', async () => {
  const { pool } = database
  const look = async (client: Pick<TrxClient, 'query'>) => (await client.query('select name from written')).rowCount
  const change = (name: string) => pool.query('insert into written values ($1)', [name])
  const write = { code: '25006' }
  await withSnapshot(pool, async (snapshot) => {
    assert.equal(await look(snapshot), 0)
    await change('a')
    assert.equal(await look(snapshot), 0)
  })
  await assert.rejects(
    withSnapshot(pool, (snapshot) => snapshot.query(`insert into written values ('b')`)),
    write,
  )
  const { client, close } = await openSnapshot(pool)
  assert.equal(await look(client), 1)
  await change('b')
  assert.equal(await look(client), 1)
  await assert.rejects(client.query(`insert into written values ('c')`), write)
  await close()
  await close()
  assert.equal(await look(pool), 2)
})

test('a data error by its class: 22, 23 and 54, and nothing else', () => {
  const codes = ['22001', '23505', '54000', '40P01', '57014', '12345', '2254']
  assert.deepEqual(
    codes.filter((code) => isDataError(withCode(code))),
    ['22001', '23505', '54000', '2254'],
  )
  for (const other of [withCode(23_505), new Error('23505'), { code: '23505' }, null]) assert.equal(isDataError(other), false)
})
