import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { startBystander } from './bystander.ts'
import type { Scenario } from './scenario.ts'

const CONNECTIONS = 2_000
const HELD_MS = 4_000

/** Two thousand connections that say nothing, a quarter of them in the middle of a head, a quarter kept alive behind an answer. */
export const idleConnections: Scenario = {
  name: 'idle-connections',
  async play({ service, arsenal }) {
    const bystander = startBystander({ service, arsenal })
    const sockets: Socket[] = []
    let refused = 0
    for (let number = 0; number < CONNECTIONS; number++) {
      const socket = connect({ host: service.host, port: service.port, localAddress: `127.0.${1 + (number % 50)}.1` })
      socket.on('error', () => refused++)
      socket.on('data', () => undefined)
      if (number % 4 === 0) socket.write('GET /sign-in HTTP/1.1\r\nHost: a\r\n')
      if (number % 4 === 1) socket.write('GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n')
      sockets.push(socket)
      if (number % 100 === 99) await once(socket, 'connect')
    }
    await delay(HELD_MS)
    const problems = await bystander.judge()
    for (const socket of sockets) socket.resetAndDestroy()
    return refused === 0 ? problems : [...problems, `${refused} of ${CONNECTIONS} connections were refused`]
  },
}
