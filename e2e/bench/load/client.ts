import type { Partner } from '#e2e/bench/environment/partners.ts'
import { openConnection } from './connection.ts'
import { credentialLines } from './deposit-templates.ts'

/** Asks one question after the other over one connection. */
export type Client = {
  /** The body of the answer. Throws unless the status is 200. */
  get(path: string): Promise<string>
  close(): void
}

/** Connects a partner to a server on this machine. */
export async function createClient(port: number, partner: Partner): Promise<Client> {
  let pending: { resolve(answer: string): void; reject(error: Error): void } | undefined
  let broken: Error | undefined
  const connection = await openConnection(port, {
    onAnswer: (answer) => pending?.resolve(answer),
    onBroken(reason) {
      broken ??= new Error(reason)
      pending?.reject(broken)
    },
  })
  const lines = `Host: 127.0.0.1\r\n${credentialLines(partner)}\r\n`
  return {
    async get(path) {
      const answer = await new Promise<string>((resolve, reject) => {
        if (broken) return reject(broken)
        pending = { resolve, reject }
        connection.send(`GET ${path} HTTP/1.1\r\n${lines}`)
      })
      if (!answer.startsWith('HTTP/1.1 200')) throw new Error(`${path} was refused: ${answer.slice(0, 1_000)}`)
      return answer.slice(answer.indexOf('\r\n\r\n') + 4)
    },
    close: () => connection.close(),
  }
}
