import { randomUUID } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { credentials, type Header, JSON_CONTENT, requestBytes } from '#e2e/attack/wire/request.ts'
import { startBystander } from './bystander.ts'
import type { Scenario } from './scenario.ts'

const MEGABYTE = 1024 * 1024
const HELD_MS = 6_000
/** Bodies that stop just before their end: of the API's largest kind, and of what the pages take. */
const HOLDERS: readonly { connections: number; target: string; isProgram: boolean; declared: number; sent: number }[] = [
  { connections: 500, target: '/api/v1/transaction/depositMultiple', isProgram: true, declared: 2 * MEGABYTE, sent: 1.9 * MEGABYTE },
  { connections: 60, target: '/api/auth/callback/credentials', isProgram: false, declared: 10 * MEGABYTE, sent: 9 * MEGABYTE },
  { connections: 60, target: '/no-such-page', isProgram: false, declared: 10 * MEGABYTE, sent: 9 * MEGABYTE },
]
const ENDLESS_BYTES = 400 * MEGABYTE
const PIECE = Buffer.alloc(64 * 1024, ' ')

/** Hundreds of large bodies that stop before their end, and one that does not end: memory and everybody else must not notice. */
export const heldBodies: Scenario = {
  name: 'held-bodies',
  async play({ service, arsenal }) {
    const bystander = startBystander({ service, arsenal })
    const sockets: Socket[] = []
    const open = (head: Buffer) => {
      const socket = connect({ host: service.host, port: service.port, localAddress: '127.0.0.1' })
      socket.on('error', () => undefined)
      socket.on('data', () => undefined)
      socket.write(head)
      sockets.push(socket)
      return socket
    }
    const held: Promise<void>[] = []
    for (const { connections, target, isProgram, declared, sent } of HOLDERS) {
      const headers: Header[] = [...(isProgram ? credentials(arsenal) : []), JSON_CONTENT, ['Content-Length', String(declared)]]
      const head = requestBytes({ method: 'POST', target, headers })
      for (let number = 0; number < connections; number++) held.push(send(open(head), sent))
    }
    const target = `/api/auth/${randomUUID()}`
    const endless = requestBytes({ method: 'POST', target, headers: [JSON_CONTENT, ['Content-Length', String(ENDLESS_BYTES)]] })
    held.push(send(open(endless), ENDLESS_BYTES))
    await Promise.race([Promise.all(held), delay(HELD_MS)])
    await delay(HELD_MS)
    const problems = await bystander.judge()
    for (const socket of sockets) socket.resetAndDestroy()
    await Promise.all(held)
    return problems
  },
}

/** As fast as the peer reads; ends early when it has closed. */
async function send(socket: Socket, bytes: number): Promise<void> {
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  for (let sent = 0; sent < bytes && !socket.destroyed && socket.writable; sent += PIECE.length) {
    if (socket.write(PIECE)) continue
    await Promise.race([new Promise<void>((resolve) => socket.once('drain', resolve)), closed])
  }
}
