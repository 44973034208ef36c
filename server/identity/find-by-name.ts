import type { Queryable } from '#server/database/pool.ts'
import { type ApiUserPlace, findApiUserPlace } from './api-user-store.ts'
import { findPersonByEmail } from './person-store.ts'

/** The API user who signs in under this name. */
export async function findApiUserByName(queryable: Queryable, username: string): Promise<ApiUserPlace | undefined> {
  return findApiUserPlace(queryable, username)
}

/** The person who signs in with this e-mail address. */
export async function findPersonIdByEmail(queryable: Queryable, email: string): Promise<string | undefined> {
  return (await findPersonByEmail(queryable, email.trim().toLowerCase()))?.personId
}
