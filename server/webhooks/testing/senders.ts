import { createServer, type Socket } from 'node:net'
import { closeAtEnd, listen } from '#server/webhooks/testing.ts'
import { createAddressGuard, createHostResolver, LOOPBACK_NETWORKS } from '../send/connect-target.ts'
import { createSender, type Sender, type SenderOptions } from '../send/send-webhook.ts'

/** Long enough for an answer on a busy machine; only what hangs waits for it. */
export const DEADLINE_MS = 600

/** A sender that may connect to this machine. */
export function makeSender(options: Partial<SenderOptions> = {}): Sender {
  const sender = createSender({
    resolveHost: createHostResolver(),
    mayConnectTo: createAddressGuard(LOOPBACK_NETWORKS),
    deadlineMs: DEADLINE_MS,
    idleConnectionsMax: 16,
    ...options,
  })
  closeAtEnd(sender)
  return sender
}

/** A server that does with each connection what it likes. */
export async function startRaw(
  onConnection: (socket: Socket) => void,
): Promise<{ url: string; port: number; sockets: Set<Socket>; close(): void }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    onConnection(socket)
    // Unread, it would not notice that the other side closed.
    socket.resume()
  })
  const port = await listen(server)
  const raw = {
    url: `http://127.0.0.1:${port}/`,
    port,
    sockets,
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
  closeAtEnd(raw)
  return raw
}
