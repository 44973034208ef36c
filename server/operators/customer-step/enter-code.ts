import { err, ok, type Result } from '#lib/result.ts'
import type { Pool } from '#server/database/pool.ts'
import { storeCode } from './customer-code-store.ts'
import { isPayToken } from './customer-page-queries.ts'

const CODE = /^\d{4,8}$/

/**
 * Takes the code that a customer entered on the page of this token. The operator judges it: a payment takes one code at a time and three
 * in all, so that nobody can try them out.
 */
export async function enterCode(pool: Pool, payToken: string, entered: string): Promise<Result<void, 'malformed' | 'not_awaited'>> {
  const code = entered.replaceAll(/\s/g, '')
  if (!CODE.test(code)) return err('malformed')
  if (!isPayToken(payToken)) return err('not_awaited')
  return (await storeCode(pool, payToken, code)) ? ok(undefined) : err('not_awaited')
}
