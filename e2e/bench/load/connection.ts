import { connect, type Socket } from 'node:net'

const HEADER_END = '\r\n\r\n'
const LENGTH_NAME = 'content-length: '

/** Keep-alive HTTP/1.1 with one request at a time: the least that a client can do, so that the load costs little CPU. */
export type Connection = { send(request: string): void; close(): void }

type ConnectionListener = {
  onAnswer(answer: string): void
  onBroken(reason: string): void
}

/** Opens a connection; resolves when it can send. `onAnswer` gets each whole answer, head and body, as Latin-1 text. */
export function openConnection(port: number, listener: ConnectionListener): Promise<Connection> {
  return new Promise((resolve, reject) => {
    let isClosing = false
    let received = ''
    let missing = 0
    const socket: Socket = connect({
      port,
      host: '127.0.0.1',
      noDelay: true,
      onread: {
        buffer: Buffer.allocUnsafe(64 * 1024),
        callback(bytes, buffer) {
          const piece = Buffer.from(buffer.buffer, buffer.byteOffset, bytes).toString('latin1')
          received = received === '' ? piece : received + piece
          if (missing === 0) missing = wholeLength(received)
          if (missing > 0 && received.length >= missing) {
            const answer = received
            received = ''
            missing = 0
            listener.onAnswer(answer)
          }
          return true
        },
      },
    })
    socket.once('connect', () =>
      resolve({
        send: (request) => void socket.write(request, 'latin1'),
        close() {
          isClosing = true
          socket.destroy()
        },
      }),
    )
    socket.once('error', (error) => {
      reject(error)
      if (!isClosing) listener.onBroken(error.message)
    })
    socket.once('close', () => {
      if (!isClosing) listener.onBroken('The server closed the connection')
    })
  })
}

/** The length of the answer that begins here, or 0 while its head is not complete. */
function wholeLength(received: string): number {
  const headEnd = received.indexOf(HEADER_END)
  if (headEnd < 0) return 0
  let place = received.indexOf('Content-Length: ')
  if (place < 0 || place > headEnd) place = received.slice(0, headEnd).toLowerCase().indexOf(LENGTH_NAME)
  const bodyLength = place < 0 ? 0 : Number.parseInt(received.slice(place + LENGTH_NAME.length, headEnd), 10)
  return headEnd + HEADER_END.length + bodyLength
}
