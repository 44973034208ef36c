import type { Pool } from '#server/database/pool.ts'
import { storeTester } from './customer-code-store.ts'

/** A tester has opened the page of this token in a sandbox, and acts as the customer from now on. */
export async function noteTester(pool: Pool, payToken: string): Promise<void> {
  await storeTester(pool, payToken)
}
