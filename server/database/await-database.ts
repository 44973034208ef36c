import { setTimeout as delay } from 'node:timers/promises'
import { isDatabaseAway } from './database-away.ts'
import type { Queryable } from './pool.ts'

const PAUSE_MS = 250

/** The oldest release whose SQL the functions use: `returning old` came with it. */
const MAJOR_MIN = 18

/**
 * Waits until the database accepts writes: it may start at the same time, or a standby may be promoted. Throws immediately what waiting does
 * not change: a wrong password, an unknown database or host name, a PostgreSQL that is too old; and after `limitMs` why it is not usable.
 * `onWait` is called once, with the reason.
 */
export async function awaitDatabase(queryable: Queryable, options: { limitMs: number; onWait(reason: string): void }): Promise<void> {
  const endsAtMs = performance.now() + options.limitMs
  for (let attempt = 1; ; attempt++) {
    const problem = await findProblem(queryable)
    if (!problem) return
    if (performance.now() >= endsAtMs) throw problem
    if (attempt === 1) options.onWait(problem.message || String('code' in problem && problem.code))
    await delay(PAUSE_MS)
  }
}

/** Why the database cannot be used now; undefined when it can. Throws what waiting does not change. */
async function findProblem(queryable: Queryable): Promise<Error | undefined> {
  try {
    const { rows: versions } = await queryable.query<{ server_version_num: string }>('show server_version_num')
    requireSupported(Number(versions[0]?.server_version_num))
    const { rows } = await queryable.query<{ transaction_read_only: string }>('show transaction_read_only')
    if (rows[0]?.transaction_read_only !== 'on') return undefined
    return new Error(
      'The database of DATABASE_URL accepts no writes: it is a standby, or read-only. DATABASE_URL must lead to the primary.',
    )
  } catch (error) {
    if (isDatabaseAway(error) && !('code' in error && error.code === 'ENOTFOUND')) return error
    throw error
  }
}

/** `versionNumber` is server_version_num, such as 180004 for 18.4. */
function requireSupported(versionNumber: number): void {
  const major = Math.floor(versionNumber / 10_000)
  if (major >= MAJOR_MIN) return
  throw new Error(
    `DATABASE_URL leads to PostgreSQL ${major}.${versionNumber % 10_000}: Countersign needs PostgreSQL ${MAJOR_MIN} or newer.`,
  )
}
