import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { z } from 'zod'
import { OPERATOR_CODES } from '#lib/operators/operators.ts'
import { answer, isSame, readJson, refuse } from './http.ts'
import type { Simulation } from './simulation.ts'

const AMOUNT_MAX = 1_000_000_000_000

const fundingSchema = z.object({
  operator: z.enum(OPERATOR_CODES),
  account: z.enum(['collect', 'deposit']),
  amount: z.number().min(-AMOUNT_MAX).max(AMOUNT_MAX),
})

/**
 * POST /funding: money of ours comes to an account at an operator, or leaves it if the amount is negative, as between it and our bank. The
 * answer has the balance of the account in units of the currency. An amount of 0 only asks for it. 401 without the secret, 400 for another body.
 */
export async function bringFunding({ books, secret, now }: Simulation, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (!isSame(request.headers.authorization ?? '', `Bearer ${secret}`))
    return refuse(response, 401, 'UNAUTHORISED', 'The secret is not right')
  const funding = fundingSchema.safeParse(await readJson(request)).data
  if (!funding) return refuse(response, 400, 'MALFORMED', 'The body is not a funding')
  const { operator, account, amount } = funding
  if (amount !== 0) books.fund({ id: randomUUID(), operator, account, amount: String(amount), atMs: now().getTime() })
  const { collectMinor, depositMinor } = books.accountsOf(operator)
  answer(response, 200, { balance: Number(account === 'collect' ? collectMinor : depositMinor) / 100 })
}
