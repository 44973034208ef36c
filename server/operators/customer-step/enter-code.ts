import { err, ok, type Result } from '#lib/result.ts'
import type { Pool } from '#server/database/pool.ts'
import { removeCodeNumbersBefore, storeCode, storeTester } from './customer-code-store.ts'
import { isPayToken } from './customer-link-store.ts'

const CODE = /^\d{4,8}$/

type CodeProblem = 'malformed' | 'not_awaited'

/**
 * Takes the code that a customer entered on the page of this token; `length` is the number of digits of the operator's codes, if it has one.
 * The operator judges the code: a payment takes one at a time and three in all, and a number six in a day, so that nobody can try them out.
 */
export async function enterCode(
  pool: Pool,
  payToken: string,
  entered: string,
  length: number | undefined,
): Promise<Result<void, CodeProblem>> {
  const code = entered.replaceAll(/\s/g, '')
  if (!CODE.test(code) || (length !== undefined && code.length !== length)) return err('malformed')
  if (!isPayToken(payToken)) return err('not_awaited')
  return (await storeCode(pool, payToken, code)) ? ok(undefined) : err('not_awaited')
}

/** A tester has opened the page of this token in a sandbox, and acts as the customer from now on. */
export async function noteTester(pool: Pool, payToken: string): Promise<void> {
  await storeTester(pool, payToken)
}

const DAY_MS = 86_400_000

/** Removes the numbers whose last code request is at least a day old. */
export async function forgetCodeNumbers(pool: Pool, now: Date): Promise<void> {
  await removeCodeNumbersBefore(pool, new Date(now.getTime() - DAY_MS))
}
