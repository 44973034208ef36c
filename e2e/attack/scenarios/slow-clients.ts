import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { PLACES, placeOf } from '#e2e/attack/targets.ts'
import { requestBytes } from '#e2e/attack/wire/request.ts'
import { createRandom } from '#lib/seeded-random.ts'
import { startBystander } from './bystander.ts'
import type { Scenario } from './scenario.ts'

const CLIENTS = 400
const DRIP_EVERY_MS = 200

/** Hundreds of clients that send a byte every so often or never read their answer, and reconnect when they are disconnected. */
export const slowClients: Scenario = {
  name: 'slow-clients',
  async play({ service, arsenal, minutes, seed }) {
    const random = createRandom(seed)
    const bystander = startBystander({ service, arsenal })
    const endsAtMs = performance.now() + minutes * 60_000
    let isOver = false
    const sockets = new Set<Socket>()

    async function client(number: number): Promise<void> {
      while (!isOver) {
        const place = placeOf(random.pick(PLACES), random, arsenal)
        const body = [...place.headers, ['Content-Type', 'application/json'], ['Content-Length', '60000']] as const
        const isReader = number % 4 === 0
        const bytes = isReader ? requestBytes(place) : requestBytes({ ...place, method: 'POST', headers: body })
        const socket = connect({ host: service.host, port: service.port, localAddress: `127.0.${1 + (number % 200)}.2` })
        sockets.add(socket)
        let isGone = false
        socket.on('error', () => undefined)
        socket.on('close', () => {
          isGone = true
          sockets.delete(socket)
        })
        if (isReader) socket.pause()
        else socket.on('data', () => undefined)
        const headEnds = number % 3 === 0 ? random.between(10, bytes.length - 3) : bytes.length
        socket.write(bytes.subarray(0, headEnds))
        while (!isGone && !isOver) {
          await delay(DRIP_EVERY_MS)
          if (!isReader) socket.write('x')
        }
      }
    }

    const clients = Array.from({ length: CLIENTS }, (_, number) => client(number))
    await delay(Math.max(0, endsAtMs - performance.now()))
    const problems = await bystander.judge()
    isOver = true
    for (const socket of sockets) socket.resetAndDestroy()
    await Promise.all(clients)
    return problems
  },
}
