import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type TcpProxy = {
  /** The address of the database, through this proxy. */
  urlOf(databaseUrl: string): string
  /** How many are open. */
  connections(): number
  /** Breaks every connection. */
  cut(): void
  /** Passes on nothing more in either direction, and accepts connections without answering, as a machine that froze. */
  freeze(): void
  /** Passes on everything again, with what came meanwhile. */
  thaw(): void
  /** Breaks the connection of the next statement that contains this text, after the server received it. */
  cutAfter(text: string): void
  /** From now on leads to another server, and breaks the connections to the one before. */
  leadTo(targetUrl: string): void
  close(): Promise<void>
}

type TcpProxyOptions = {
  /** Default: a free one. */
  port?: number
  /** Rewrites the database's answers. */
  rewrite?(bytes: Buffer): Buffer
}

/** A proxy in front of the database of this test run, to lose connections and answers. */
export async function startTcpProxy(targetUrl: string, options: TcpProxyOptions = {}): Promise<TcpProxy> {
  const { port: wantedPort = 0, rewrite = (bytes) => bytes } = options
  let target = new URL(targetUrl)
  const pairs = new Set<[Socket, Socket]>()
  let isFrozen = false
  let cutText: string | undefined
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    const pair: [Socket, Socket] = [client, upstream]
    pairs.add(pair)
    const end = () => {
      pairs.delete(pair)
      for (const socket of pair) socket.destroy()
    }
    for (const socket of pair) socket.on('error', end).on('close', end)
    client.on('data', (bytes: Buffer) => {
      upstream.write(bytes)
      if (cutText === undefined || !bytes.includes(cutText)) return
      cutText = undefined
      // The server gets it, and its answer is lost.
      client.destroy()
      upstream.end()
      pairs.delete(pair)
    })
    upstream.on('data', (bytes: Buffer) => client.write(rewrite(bytes)))
    if (isFrozen) for (const socket of pair) socket.pause()
  })
  server.listen(wantedPort, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const setFrozen = (frozen: boolean) => {
    isFrozen = frozen
    for (const socket of [...pairs].flat()) frozen ? socket.pause() : socket.resume()
  }
  const cut = () => {
    for (const socket of [...pairs].flat()) socket.destroy()
  }
  return {
    urlOf(databaseUrl) {
      const url = new URL(databaseUrl)
      url.port = String(port)
      return url.href
    },
    connections: () => pairs.size,
    cut,
    freeze: () => setFrozen(true),
    thaw: () => setFrozen(false),
    cutAfter(text) {
      cutText = text
    },
    leadTo(url) {
      target = new URL(url)
      cut()
    },
    async close() {
      server.close()
      cut()
    },
  }
}
