import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { freePort } from '#server/database/embedded/embedded.ts'
import { startTcpProxy } from '#server/testing/tcp-proxy.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import type { Pair, PairNode } from './pair.ts'

/** The one address of the database: whatever is behind it, the service knows only this. */
export type PrimaryAddress = {
  name: string
  url: string
  /** Nobody is the primary; later another server is. */
  leadTo(node: PairNode | undefined): void
  close(): Promise<void>
}

/** HAProxy where it is installed; otherwise a switch of the tests that does the same. */
export function startPrimaryAddress(pair: Pair): Promise<PrimaryAddress> {
  return spawnSync('haproxy', ['-v']).status === 0 ? startHaproxy(pair) : startSwitch(pair)
}

async function startSwitch({ primary }: Pair): Promise<PrimaryAddress> {
  const proxy = await startTcpProxy(primary.server.url)
  return {
    name: 'a TCP switch of the tests',
    url: proxy.urlOf(primary.server.url),
    leadTo: (node) => node && proxy.leadTo(node.server.url),
    close: () => proxy.close(),
  }
}

/** HAProxy asks a health address of each server, as it asks Patroni's, and closes the sessions of a server that is no longer the primary. */
async function startHaproxy({ primary, standby }: Pair): Promise<PrimaryAddress> {
  let leader: string | undefined = primary.name
  const nodes = [primary, standby]
  const checks = await Promise.all(nodes.map(({ name }) => startHealth(() => leader === name)))
  const folder = await mkdtemp(path.join(tmpdir(), 'countersign-haproxy-'))
  const file = path.join(folder, 'haproxy.cfg')
  const port = await freePort()
  const servers = nodes.map((node, index) => `  server ${node.name} 127.0.0.1:${node.port} check port ${checks[index]?.port}`)
  await writeFile(file, `${CONFIGURATION}\n${servers.join('\n')}\n`.replace('PORT', String(port)))
  const haproxy = spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore' })
  await waitUntil('HAProxy listens', () => canConnect(port))
  const url = new URL(primary.server.url)
  url.port = String(port)
  return {
    name: 'HAProxy',
    url: url.href,
    leadTo(node) {
      leader = node?.name
    },
    async close() {
      const ended = once(haproxy, 'exit')
      haproxy.kill('SIGTERM')
      await ended
      for (const check of checks) check.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** As in server/deploy/haproxy.cfg, with a check twice a second. */
const CONFIGURATION = `defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
  timeout check 1s
  retries 0
listen primary
  bind 127.0.0.1:PORT
  option httpchk GET /primary
  default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions`

async function startHealth(isPrimary: () => boolean): Promise<{ port: number; close(): void }> {
  const server = createServer((_, response) => response.writeHead(isPrimary() ? 200 : 503).end())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, close: () => void server.close() }
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })
}
