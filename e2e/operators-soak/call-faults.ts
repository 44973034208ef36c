import { setTimeout as delay } from 'node:timers/promises'
import type { Random } from '#lib/seeded-random.ts'
import { aboutAnotherMovement, ambiguousAnswer } from './ambiguous-answers.ts'
import type { FaultCounts } from './fault-counts.ts'
import type { Answer, Disturb, Passing } from './fault-proxy.ts'
import type { Repetitions } from './repetitions.ts'
import { submittedReference } from './submissions.ts'

const PROXY_PAGE = '<html><body>Bad Gateway</body></html>'

/** `lateMs`: how late, where that is the fault. */
type Fault = (passing: Passing, lateMs: number) => Promise<void>

/** Every way in which the answer to a call is lost, late or unreadable; before or after the operator carried the call out. */
export const FAULTS: Readonly<Record<string, Fault>> = {
  'reset, not carried out': async ({ response }) => void response.socket?.resetAndDestroy(),
  'reset, carried out': async ({ carryOut, response }) => {
    await carryOut()
    response.socket?.resetAndDestroy()
  },
  'silence, not carried out': async () => undefined,
  'silence, carried out': async ({ carryOut }) => void (await carryOut()),
  'carried out late': async (passing, lateMs) => {
    await delay(lateMs)
    passing.answer(await passing.carryOut())
  },
  'answered late': async (passing, lateMs) => {
    const answer = await passing.carryOut()
    await delay(lateMs)
    passing.answer(answer)
  },
  'HTTP 500, not carried out': async ({ response }) => void response.writeHead(500).end(),
  'HTTP 502 of a proxy, not carried out': async ({ response }) =>
    void response.writeHead(502, { 'content-type': 'text/html' }).end(PROXY_PAGE),
  'HTTP 503, carried out': async ({ carryOut, response }) => {
    await carryOut()
    response.writeHead(503, { 'content-type': 'text/html' }).end(PROXY_PAGE)
  },
  'cut in the middle of the answer': async ({ carryOut, response }) => {
    const { status, headers, body } = await carryOut()
    response.writeHead(status, { ...headers, 'content-length': String(body.length + 1) })
    response.write(body.subarray(0, body.length >> 1), () => response.destroy())
  },
  'text that is not a message': async ({ carryOut, response }) => {
    const { status } = await carryOut()
    response.writeHead(status < 400 ? 200 : status, { 'content-type': 'application/json' }).end('{"status":\u0000\u001b[2J')
  },
  'an empty HTTP 200': async ({ carryOut, response }) => {
    await carryOut()
    response.writeHead(200).end()
  },
}

/** Orange in Burkina Faso answers no queries: a lost reply stays unknown, rightly, and the transaction would never end. */
const WITHOUT_QUERIES = '/orange-bf/'

/** Ways in which only a submission goes wrong that its operator knows again by its reference. */
export const FAULTS_OF_SUBMISSIONS: Readonly<
  Record<string, (passing: Passing, reference: string, repetitions: Repetitions) => Promise<void>>
> = {
  'carried out after the next submission': async ({ carryOut }, reference, repetitions) => repetitions.holdUp(reference, carryOut),
  'carried out and denied until it comes again': async ({ carryOut }, reference, repetitions) => {
    await carryOut()
    repetitions.deny(reference)
  },
  'carried out, and answered as if that were open': async (passing) => {
    const answer = await passing.carryOut()
    passing.answer(ambiguousAnswer(passing, answer) ?? answer)
  },
}
/** About no movement: an operator that reports another balance, or that of its other account, is believed, and the difference is shown. */
const BALANCE = /\bbalance\b/
const MOVEMENTS = ['amount', 'currency', 'number'] as const

/** `lateMsMax`: longer than the connectors wait, and shorter than the time until they may send again. */
type CallFaults = {
  random: Random
  share: number
  counts: FaultCounts
  lateMsMax: number
  repetitions: Repetitions
  /** Spoils what protects from paying twice: a service with broken connectors. */
  spoil?: ((passing: Passing) => Passing) | undefined
}

/**
 * Disturbs this share of the calls to the operators. A query may also be answered with what was answered about another reference; a
 * submission may not: no proxy mixes up what nobody has asked for before.
 */
export function disturbCalls({ random, share, counts, lateMsMax, repetitions, spoil = (passing) => passing }: CallFaults): Disturb {
  const names = Object.keys(FAULTS)
  const namesOfSubmissions = Object.keys(FAULTS_OF_SUBMISSIONS)
  const answered = new Map<string, { url: string; answer: Answer }>()

  /** A query goes wrong in its own way, or not. */
  async function disturbQuery(passing: Passing, other: { url: string; answer: Answer } | undefined): Promise<boolean> {
    if (BALANCE.test(passing.url)) return false
    if (other && other.url !== passing.url && random.chance(0.15)) {
      counts.countFault('the answer about another reference')
      passing.answer(other.answer)
      return true
    }
    if (!random.chance(0.15)) return false
    const kind = random.pick(MOVEMENTS)
    const answer = await passing.carryOut()
    const altered = aboutAnotherMovement(answer, kind)
    if (altered) counts.countFault(`the answer with another ${kind}`)
    passing.answer(altered ?? answer)
    return true
  }

  return async (given) => {
    counts.countCall()
    const passing = repetitions.follow(spoil(given))
    const { method, url } = passing
    if (!counts.isOver && repetitions.isDenied(passing)) return repetitions.answer(passing)
    const isQuery = method === 'GET'
    const kind = url.slice(0, url.lastIndexOf('/'))
    if (counts.isOver || url.startsWith(WITHOUT_QUERIES) || !random.chance(share)) {
      const answer = await passing.carryOut()
      if (isQuery && answer.status < 300) answered.set(kind, { url, answer })
      return passing.answer(answer)
    }
    if (isQuery && (await disturbQuery(passing, answered.get(kind)))) return
    const reference = submittedReference(passing)
    if (reference !== undefined && random.chance(0.3)) {
      const name = random.pick(namesOfSubmissions)
      counts.countFault(name)
      return FAULTS_OF_SUBMISSIONS[name]?.(passing, reference, repetitions)
    }
    const name = random.pick(names)
    counts.countFault(name)
    await FAULTS[name]?.(passing, random.between(0, lateMsMax))
  }
}
