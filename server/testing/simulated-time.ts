import type { Pool, TrxClient } from '#server/database/pool.ts'

/** The functions that write the database's time into new rows, and must be seen to do so at other times. */
const FUNCTIONS = ['start_transactions', 'apply_transitions']

const prepared = new WeakMap<Pool, Promise<void>>()

/**
 * Runs `work` in a database transaction in which transactions start and move at the time that was last passed to `setTime`. The product knows
 * only the database's clock: what runs here are copies of its functions in a schema of the test, which only this transaction looks into.
 */
export async function inSimulatedTime<Value>(
  pool: Pool,
  work: (trx: TrxClient, setTime: (at: Date) => Promise<void>) => Promise<Value>,
): Promise<Value> {
  const copied = prepared.get(pool) ?? copyFunctions(pool)
  prepared.set(pool, copied)
  await copied
  const trx = await pool.connect()
  try {
    await trx.query('begin')
    await trx.query(`select set_config('search_path', 'simulated_time, ' || current_setting('search_path'), true)`)
    const value = await work(trx, async (at) => {
      await trx.query("select set_config('test.time', $1, true)", [at.toISOString()])
    })
    await trx.query('commit')
    return value
  } catch (error) {
    await trx.query('rollback')
    throw error
  } finally {
    trx.release()
  }
}

async function copyFunctions(pool: Pool): Promise<void> {
  await pool.query('create schema if not exists simulated_time')
  await pool.query(`create or replace function simulated_time.instant() returns timestamptz language sql volatile
    return current_setting('test.time')::timestamptz`)
  const { rows } = await pool.query<{ schema: string; text: string }>(
    `select pronamespace::regnamespace::text as schema, pg_get_functiondef(oid) as text from pg_proc
       where proname = any ($1) and pronamespace <> 'simulated_time'::regnamespace`,
    [FUNCTIONS],
  )
  if (rows.length !== FUNCTIONS.length) throw new Error(`Expected one function each of ${FUNCTIONS.join(', ')}`)
  for (const { schema, text } of rows) {
    const copy = text.replace(`FUNCTION ${schema}.`, 'FUNCTION simulated_time.').replace('clock_timestamp()', 'simulated_time.instant()')
    if (!copy.includes('FUNCTION simulated_time.') || !copy.includes(':= simulated_time.instant()'))
      throw new Error(`A function does not read the clock where it is expected: ${text.slice(0, 100)}`)
    await pool.query(copy)
  }
}
