import { readFileSync } from 'node:fs'
import path from 'node:path'
import { request } from 'undici'
import { z } from 'zod'
import type { OperatorCode } from '#lib/operators/operators.ts'
import type { Account, BookLine } from '#server/operators/simulator/books.ts'

/** Where a simulator listens, and the secret that it shares with the service. */
export type SimulatorPlace = { url: string; secret: string }

const fundedSchema = z.object({ balance: z.number() })

/**
 * Brings an amount, in units of the currency, to our account at an operator, or takes it away if it is negative; 0 only asks. Returns the
 * balance afterwards. Throws while the simulator is away.
 */
export async function fundWallet(
  { url, secret }: SimulatorPlace,
  { operator, account = 'deposit', amount }: { operator: OperatorCode; account?: Account; amount: number },
): Promise<number> {
  const answer = await request(`${url}/funding`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ operator, account, amount }),
  })
  return fundedSchema.parse(await answer.body.json()).balance
}

/** The balance of our account for deposits before anything moved, in units of the currency. */
const OPENING_AMOUNT = 100_000_000

/**
 * Returns the least that our account for deposits at an operator held since an instant, in units of the currency, from the file of the
 * simulator's books in this folder.
 */
export function lowestBalance(folder: string, operator: OperatorCode, sinceMs: number): number {
  const orders = new Map<string, Order>()
  let balance = OPENING_AMOUNT
  let lowest = Number.POSITIVE_INFINITY
  for (const line of readLines(folder)) {
    if (line.what === 'opening' && line.operator === operator) balance = Number(line.deposit)
    if (line.what === 'accepted' && line.operator === operator)
      orders.set(line.request.reference, { isDeposit: line.request.direction === 'DEPOSIT', amount: Number(line.request.amount) })
    balance += movedBy(line, operator, orders)
    if ('atMs' in line && line.atMs >= sinceMs && balance < lowest) lowest = balance
  }
  return lowest
}

type Order = { isDeposit: boolean; amount: number }

/** How much a line moved our account for deposits. */
function movedBy(line: BookLine, operator: OperatorCode, orders: ReadonlyMap<string, Order>): number {
  if (line.what === 'moved') return line.operator === operator && line.account === 'deposit' ? Number(line.amount) : 0
  if (line.what !== 'executed' && line.what !== 'refunded') return 0
  const order = orders.get(line.reference)
  if (!order) return 0
  if (line.what === 'executed') return order.isDeposit ? -order.amount - Number(line.fee ?? 0) : 0
  if (line.account !== 'deposit') return 0
  return order.isDeposit ? Number(line.refund.amount) : -Number(line.refund.amount)
}

function readLines(folder: string): BookLine[] {
  const text = readFileSync(path.join(folder, 'books.jsonl'), 'utf8')
  // The last line may be half written when the simulator was killed; nobody was told about it. The file is the simulator's own.
  return text.split('\n').flatMap((line) => (line.endsWith('}') ? (JSON.parse(line) as BookLine) : []))
}
