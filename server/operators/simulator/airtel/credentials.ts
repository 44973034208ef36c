import { createHash } from 'node:crypto'

type AirtelAccount = { clientId: string; clientSecret: string; pin: string; callbackKey: string }

/** The application that the simulator knows; derived from its secret, so that every start has the same. */
export function airtelAccountOf(secret: string): AirtelAccount {
  const hex = (name: string) => createHash('sha256').update(`${secret} airtel ${name}`).digest('hex')
  return {
    clientId: hex('client').slice(0, 36),
    clientSecret: hex('secret').slice(0, 36),
    pin: String(Number.parseInt(hex('pin').slice(0, 8), 16) % 10_000).padStart(4, '0'),
    callbackKey: hex('callback'),
  }
}
