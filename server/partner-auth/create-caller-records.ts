import { REFUSAL_CAUSES } from '#lib/refusal-cause.ts'
import type { Directory } from '#server/applications/directory.ts'
import type { Pool } from '#server/database/pool.ts'
import type { Tokens } from './access-token.ts'
import { createKeyUses, type KeyUses } from './key-uses.ts'
import { createRecentRequests, type RecentRequests } from './recent-requests.ts'
import { createRefusalLog, type RefusalLog } from './refusal-log.ts'

export type CallerRecords = {
  /** The addresses that keys are used from, and the causes of refused calls: for the partner. */
  keyUses: KeyUses
  refusals: RefusalLog
  /** In a sandbox only. */
  recentRequests?: RecentRequests | undefined
}

/** Records the calls of programs. In a sandbox also the newest calls themselves, refused ones with their cause. */
export function createCallerRecords({
  pool,
  tokens,
  directory,
  isSandbox,
}: {
  pool: Pool
  tokens: Pick<Tokens, 'explain'>
  directory: Pick<Directory, 'findByApiId' | 'find'>
  isSandbox: boolean
}): CallerRecords {
  const recentRequests = isSandbox ? createRecentRequests(pool) : undefined
  const refusals = createRefusalLog({
    pool,
    tokens,
    directory,
    onExplained({ request, cause, applicationId, address, at }) {
      if (request) recentRequests?.note({ ...request, applicationId, address, at, cause, status: REFUSAL_CAUSES[cause] })
    },
  })
  return { keyUses: createKeyUses(pool), refusals, recentRequests }
}

/** Writes what is not written yet. */
export async function closeCallerRecords({ keyUses, refusals, recentRequests }: CallerRecords): Promise<void> {
  await keyUses.close()
  await refusals.close()
  await recentRequests?.close()
}
