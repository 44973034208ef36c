import { type Behaviour, behaviourFor } from './behaviour.ts'
import type { BookEntry, TransferOrder } from './books.ts'
import { concludeNow, type Simulation } from './simulation.ts'

type Arrival = {
  operator: string
  protocol: string
  order: TransferOrder
  /** The identity that a repeated submission shares with the first, where the operator assigns each a reference of its own. */
  sentAs?: string
  /** The customer has done everything already, so that a result which is not slow is there as soon as the order is answered. */
  isConfirmed?: boolean
}

/**
 * `known`: the reference is in the books already, which is a mistake of the sender. `turned_away`: refused without a trace, with an HTTP
 * 500 or with silence. `accepted`: it is in the books; without an answer if `isAnswered` is false.
 */
type Admission =
  | { kind: 'known'; entry: BookEntry }
  | { kind: 'turned_away'; how: Behaviour['turnedAway']['how'] }
  | { kind: 'accepted'; entry: BookEntry; isAnswered: boolean }

/** Takes a transfer into the books, or not, as the table says for its phone number. The protocol has checked it before. */
export async function admitTransfer(
  simulation: Simulation,
  { operator, protocol, order, sentAs = order.reference, isConfirmed = false }: Arrival,
): Promise<Admission> {
  const known = simulation.books.find(order.reference)
  if (known) {
    simulation.books.countDuplicate(order.reference)
    return { kind: 'known', entry: known }
  }
  const behaviour = behaviourFor(order.phoneNumber)
  if (simulation.books.timesTurnedAway(sentAs) < behaviour.turnedAway.times) {
    simulation.books.turnAway(sentAs)
    return { kind: 'turned_away', how: behaviour.turnedAway.how }
  }
  const entry = acceptTransfer(simulation, { operator, protocol, order, isConfirmed })
  if (behaviour.due === 'at_once') await concludeNow(simulation, entry)
  return { kind: 'accepted', entry, isAnswered: behaviour.answer === 'at_once' }
}

/** Takes a transfer into the books, and has it end when the table says. */
export function acceptTransfer(simulation: Simulation, { operator, protocol, order, isConfirmed = false }: Arrival): BookEntry {
  const { due } = behaviourFor(order.phoneNumber)
  const delayMs = { normal: isConfirmed ? 0 : simulation.delayMs, slow: simulation.slowDelayMs, at_once: 0, never: null }[due]
  const nowMs = simulation.now().getTime()
  const dueAtMs = delayMs === null ? null : nowMs + delayMs
  const entry = simulation.books.accept({ operator, protocol }, order, dueAtMs, nowMs)
  if (dueAtMs !== null) simulation.due.add(dueAtMs, entry.reference)
  return entry
}
