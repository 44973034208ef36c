import { formatMinor, parseMinor } from '#lib/money/money.ts'
import { answer as send } from '../http.ts'
import { type Call, refuse } from './wave-call.ts'
import { transactionIdOf } from './wave-messages.ts'

const PAGE = 100

type Movement = {
  atMs: number
  id: string
  type: string
  movedMinor: bigint
  feeMinor: bigint
  clientReference: string
  mobile: string
}

/** GET /v1/balance: one wallet for both directions. */
export function sendBalance({ simulation, response, operator }: Call): void {
  send(response, 200, { amount: formatMinor(simulation.books.accountsOf(operator).bothMinor), currency: 'XOF' })
}

/** GET /v1/transactions?date=YYYY-MM-DD&after=: what moved money on a day, in order, a hundred at a time, with the balance after each. */
export function sendTransactions(call: Call): void {
  const { simulation, request, response, operator } = call
  const { searchParams } = new URL(request.url ?? '/', 'http://simulator')
  const date = searchParams.get('date') ?? simulation.now().toISOString().slice(0, 10)
  const from = Number(searchParams.get('after') ?? '0')
  if (!/^\d{4}-\d\d-\d\d$/.test(date) || !Number.isSafeInteger(from) || from < 0)
    return refuse(response, 400, 'request-validation-error', 'Request invalid', [{ loc: ['date', 'after'], msg: 'invalid value' }])
  // Backwards from today's balance: the books do not keep what it was.
  let balanceMinor = simulation.books.accountsOf(operator).bothMinor
  const items = movementsOf(call).map((movement) => {
    const item = { ...movement, balanceMinor }
    balanceMinor -= movement.movedMinor
    return item
  })
  const day = items.filter(({ atMs }) => new Date(atMs).toISOString().startsWith(date)).toReversed()
  const page = day.slice(from, from + PAGE)
  const end = from + page.length
  send(response, 200, {
    page_info: {
      start_cursor: page.length > 0 ? String(from) : null,
      end_cursor: page.length > 0 ? String(end) : null,
      has_next_page: end < day.length,
    },
    date,
    items: page.map(({ atMs, id, type, movedMinor, feeMinor, clientReference, mobile, balanceMinor: after }) => ({
      timestamp: new Date(atMs).toISOString(),
      transaction_id: id,
      transaction_type: type,
      amount: formatMinor(movedMinor),
      fee: formatMinor(feeMinor),
      balance: formatMinor(after),
      currency: 'XOF',
      ...(clientReference !== '' && { client_reference: clientReference }),
      ...(mobile !== '' && { counterparty_mobile: `+${mobile}` }),
    })),
  })
}

/** The latest first. */
function movementsOf({ simulation, operator }: Call): Movement[] {
  const movements: Movement[] = []
  for (const entry of simulation.books.entries()) {
    if (entry.operator !== operator || entry.protocol !== 'wave' || entry.status !== 'SUCCESS') continue
    const isCollect = entry.direction === 'COLLECT'
    const [type, back] = isCollect ? ['api_checkout', 'api_checkout_refund'] : ['api_payout', 'api_payout_reversal']
    const sign = isCollect ? 1n : -1n
    const id = transactionIdOf(entry.reference)
    const common = { clientReference: entry.context, mobile: entry.phoneNumber, feeMinor: 0n }
    const atMs = entry.executedAtMs ?? entry.acceptedAtMs
    const feeMinor = parseMinor(entry.fee ?? '0')
    movements.push({ ...common, atMs, id, type, feeMinor, movedMinor: sign * parseMinor(entry.amount) - feeMinor })
    for (const { id: refundId, amount, atMs: refundedAtMs } of entry.refunds)
      movements.push({ ...common, atMs: refundedAtMs, id: transactionIdOf(refundId), type: back, movedMinor: -sign * parseMinor(amount) })
  }
  for (const { operator: moved, id, kind, amount, atMs, context = '', phoneNumber = '' } of simulation.books.movements()) {
    if (moved !== operator) continue
    movements.push({ atMs, id, type: kind, movedMinor: parseMinor(amount), feeMinor: 0n, clientReference: context, mobile: phoneNumber })
  }
  return movements.toSorted((left, right) => right.atMs - left.atMs)
}
