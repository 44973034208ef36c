import type { Partner } from '#e2e/bench/environment/partners.ts'
import { type Connection, openConnection } from './connection.ts'
import { credentialLines } from './deposit-templates.ts'

/** Asks one question after the other over one connection. */
export type Client = {
  /** The body of the answer. Throws unless the status is 200. */
  get(path: string): Promise<string>
  close(): void
}

type Pending = { resolve(answer: string): void; reject(error: Error): void }

/** Connects a partner to a server on this machine. A connection that the server closed while nothing was asked is opened again. */
export function createClient(port: number, partner: Partner): Client {
  let pending: Pending | undefined
  let connection: Connection | undefined
  const lines = `Host: 127.0.0.1\r\n${credentialLines(partner)}\r\n`

  function open(): Promise<Connection> {
    return openConnection(port, {
      onAnswer(answer) {
        const asked = pending
        pending = undefined
        asked?.resolve(answer)
      },
      onBroken(reason) {
        connection = undefined
        pending?.reject(new Error(reason))
        pending = undefined
      },
    })
  }

  return {
    async get(path) {
      connection ??= await open()
      const opened = connection
      const answer = await new Promise<string>((resolve, reject) => {
        pending = { resolve, reject }
        opened.send(`GET ${path} HTTP/1.1\r\n${lines}`)
      })
      if (!answer.startsWith('HTTP/1.1 200')) throw new Error(`${path} was refused: ${answer.slice(0, 1_000)}`)
      return answer.slice(answer.indexOf('\r\n\r\n') + 4)
    },
    close: () => connection?.close(),
  }
}
