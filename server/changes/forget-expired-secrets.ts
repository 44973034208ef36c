import type { Queryable } from '#server/database/pool.ts'
import { removeExpiredPayloads } from './change-store.ts'

/** Removes the secrets of proposals that have expired. Decided and withdrawn proposals keep none. */
export async function forgetExpiredSecrets(queryable: Queryable): Promise<void> {
  await removeExpiredPayloads(queryable)
}
