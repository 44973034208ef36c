import type { Queryable } from '#server/database/pool.ts'
import { findPersonByEmail } from './person-store.ts'

/** The id of the person who signs in with this e-mail address, in any letter case; undefined: there is none. */
export async function findPersonIdByEmail(queryable: Queryable, email: string): Promise<string | undefined> {
  return (await findPersonByEmail(queryable, email.trim().toLowerCase()))?.personId
}
