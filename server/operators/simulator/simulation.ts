import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Behaviour, behaviourFor } from './behaviour.ts'
import type { BookEntry, Books, TransferOrder } from './books.ts'
import type { CallbackSender, DueQueue, SimulatedCallback } from './callback-sender.ts'

/** One protocol of the simulator. It is written from what the operator publishes, and shares nothing with our connector. */
export type SimulatedProtocol = {
  name: string
  /** The first part of its paths. */
  prefix: string
  /** Answers a request. `path` begins after the prefix. */
  answer(simulation: Simulation, request: IncomingMessage, response: ServerResponse, path: string): Promise<void>
  /** The code that a customer gets who dials this; undefined if this operator does not know it. */
  dial?(phoneNumber: string, dialled: string): string | undefined
  /** Of an operator whose answer to a submission is the result: its customers' numbers. There, a slow row is a slow customer. */
  slowCustomers?: RegExp
  /** Whether the time has ended in which a customer can pay this transfer. */
  isOver?(simulation: Simulation, entry: BookEntry): boolean
  /** The callback about a transfer that ended; with this claim instead of the truth, if there is one. Absent or undefined where none is sent. */
  callbackOf?(simulation: Simulation, entry: BookEntry, claim: 'SUCCESS' | undefined): SimulatedCallback | undefined
}

export type SimulatedCustomer = {
  /** Does what the page of a payment asks for, in the background. While that is in progress, the same invitation counts once. */
  invite(invitation: { pageUrl: string; phoneNumber: string }): void
  close(): Promise<void>
}

/** The state and dependencies of one simulator. */
export type Simulation = {
  books: Books
  due: DueQueue<string>
  callbacks: CallbackSender
  protocols: readonly SimulatedProtocol[]
  /** Transfers whose page a tester has opened, and until when the simulated customer leaves them alone. */
  testers: Map<string, number>
  customer: SimulatedCustomer
  secret: string
  delayMs: number
  slowDelayMs: number
  givesTokens: boolean
  /** The host that callback addresses must have, where an operator registers one; undefined: any. */
  callbackHost: string | undefined
  /** The service's address, where a webhook is registered with the operator once and not named by each request; undefined: none is. */
  webhookBaseUrl: string | undefined
  now(): Date
}

/** Ends a transfer whose time has come, as the simulated customer or as the operator; unless a tester acts as the customer. */
export function concludeDue(simulation: Simulation, reference: string): void {
  const leftUntilMs = simulation.testers.get(reference)
  if (leftUntilMs === undefined || leftUntilMs <= simulation.now().getTime()) return conclude(simulation, reference)
  simulation.due.add(leftUntilMs, reference)
}

/** Ends a transfer that is due: the money moves or does not, and the callbacks are sent. Takes a failure back that is due for that. */
export function conclude(simulation: Simulation, reference: string): void {
  const entry = simulation.books.find(reference)
  simulation.testers.delete(reference)
  if (!entry || entry.status === 'SUCCESS') return
  if (entry.status === 'PENDING') {
    enterResult(simulation, entry)
    takeBackLater(simulation, entry)
  } else if (behaviourFor(entry.phoneNumber).isTakenBack) simulation.books.executeAfterFailure(reference, simulation.now().getTime())
  else return
  const callback = callbackOf(simulation, entry)
  if (!entry.callbackUrl || !callback) return
  for (let count = 0; count < behaviourFor(entry.phoneNumber).callbacks; count++) simulation.callbacks.enqueue(entry.callbackUrl, callback)
}

/** Has a failure taken back after the slow time, where the table says so. */
export function takeBackLater(simulation: Simulation, { status, phoneNumber, reference }: BookEntry): void {
  if (status === 'FAILED' && behaviourFor(phoneNumber).isTakenBack)
    simulation.due.add(simulation.now().getTime() + simulation.slowDelayMs, reference)
}

/** The same, but the callback arrives before the submission is answered. */
export async function concludeNow(simulation: Simulation, entry: BookEntry): Promise<void> {
  enterResult(simulation, entry)
  const callback = callbackOf(simulation, entry)
  if (entry.callbackUrl && callback) await simulation.callbacks.send(entry.callbackUrl, callback)
}

function enterResult(simulation: Simulation, entry: BookEntry): void {
  const { result } = behaviourFor(entry.phoneNumber)
  const isOver = simulation.protocols.find(({ name }) => name === entry.protocol)?.isOver?.(simulation, entry)
  if (isOver) simulation.books.fail(entry.reference, 'Timeout op\u00e9rateur')
  else if (result.kind === 'executed') simulation.books.execute(entry.reference, simulation.now().getTime())
  else simulation.books.fail(entry.reference, result.message)
}

function callbackOf(simulation: Simulation, entry: BookEntry): SimulatedCallback | undefined {
  const { callbackClaim } = behaviourFor(entry.phoneNumber)
  const protocol = simulation.protocols.find(({ name }) => name === entry.protocol)
  return protocol?.callbackOf?.(simulation, entry, callbackClaim === 'truth' ? undefined : callbackClaim)
}

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
