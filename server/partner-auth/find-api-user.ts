import type { Queryable } from '#server/database/pool.ts'
import { type ApiUserPlace, findApiUserPlace } from './api-user-store.ts'

/** The API user who signs in under this name; undefined: there is none. */
export function findApiUserByName(queryable: Queryable, username: string): Promise<ApiUserPlace | undefined> {
  return findApiUserPlace(queryable, username)
}
