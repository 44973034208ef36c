import { setTimeout as delay } from 'node:timers/promises'
import type { Random } from '#lib/seeded-random.ts'
import type { FaultCounts } from './fault-counts.ts'
import type { Answer, Disturb, Passing } from './fault-proxy.ts'

const TAKEN: Answer = { status: 200, headers: {}, body: Buffer.alloc(0) }
const CALLBACK = /^\/operators\/callback\//

type Fault = (passing: Passing, lateMs: number, earlier: Passing | undefined) => Promise<string>

/** Faults of a callback on its way; each returns its outcome for the table of the report. */
const FAULTS: Readonly<Record<string, Fault>> = {
  lost: async ({ answer }) => {
    answer(TAKEN)
    return 'a callback that is lost'
  },
  twice: async ({ answer, carryOut }, lateMs) => {
    answer(await carryOut())
    await delay(lateMs)
    await carryOut()
    return 'a callback that arrives twice'
  },
  late: async ({ answer, carryOut }, lateMs) => {
    answer(TAKEN)
    await delay(lateMs)
    await carryOut()
    return 'a callback that arrives late'
  },
  forged: async ({ answer, carryOut, body }) => {
    const { status } = await carryOut({ body: turnAround(body) })
    answer(await carryOut())
    return `a forged callback with the opposite result, answered ${status}`
  },
  /** Without a signature the address alone may name the transaction: this one's address, another one's content. */
  foreign: async ({ answer, carryOut, url }, _lateMs, earlier) => {
    const isSameOperator = earlier?.url.split('?')[0] === url.split('?')[0]
    if (earlier && isSameOperator) await carryOut({ body: earlier.body })
    answer(await carryOut())
    return 'a callback with the content of another transaction'
  },
}

type CallbackFaults = { random: Random; share: number; counts: FaultCounts; lateMsMax: number }

/** Disturbs this share of the callbacks. Everything else that comes to the service's public address passes. */
export function disturbCallbacks({ random, share, counts, lateMsMax }: CallbackFaults): Disturb {
  const names = Object.keys(FAULTS)
  const last = new Map<string, Passing>()
  return async (passing) => {
    if (!CALLBACK.test(passing.url)) return passing.answer(await passing.carryOut())
    counts.countCallback()
    const path = passing.url.split('?')[0] ?? ''
    const earlier = last.get(path)
    last.set(path, passing)
    if (counts.isOver || !random.chance(share)) return passing.answer(await passing.carryOut())
    counts.countFault((await FAULTS[random.pick(names)]?.(passing, random.between(0, lateMsMax), earlier)) ?? '')
  }
}

/** The same message with the opposite result, in the words of every protocol. */
function turnAround(body: Buffer): Buffer {
  const text = body.toString('utf8')
  const opposite: Readonly<Record<string, string>> = {
    SUCCESSFULL: 'FAILED',
    SUCCESSFUL: 'FAILED',
    SUCCESS: 'FAILED',
    FAILED: text.includes('payToken') ? 'SUCCESSFULL' : text.includes('payer') || text.includes('payee') ? 'SUCCESSFUL' : 'SUCCESS',
    CANCELLED: 'SUCCESSFULL',
    EXPIRED: 'SUCCESSFULL',
    TS: 'TF',
    TF: 'TS',
    succeeded: 'cancelled',
    processing: 'succeeded',
    cancelled: 'succeeded',
  }
  return Buffer.from(text.replaceAll(/"(\w+)"/g, (quoted, word: string) => (opposite[word] ? `"${opposite[word]}"` : quoted)))
}
