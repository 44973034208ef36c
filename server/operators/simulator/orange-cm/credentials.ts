import { createHash } from 'node:crypto'

type OrangeCmAccount = {
  consumerKey: string
  consumerSecret: string
  apiUser: string
  apiPassword: string
  channelMsisdn: string
  pin: string
}

/** The merchant that the simulator knows; derived from its secret, so that every start has the same. */
export function orangeCmAccountOf(secret: string): OrangeCmAccount {
  const hex = (name: string) => createHash('sha256').update(`${secret} orange-cm ${name}`).digest('hex')
  const digits = (name: string, length: number) => String(Number.parseInt(hex(name).slice(0, 8), 16) % 10 ** length).padStart(length, '0')
  return {
    consumerKey: hex('key').slice(0, 28),
    consumerSecret: hex('secret').slice(0, 28),
    apiUser: `MERCHANT${digits('user', 4)}`,
    apiPassword: hex('password').slice(0, 20),
    channelMsisdn: `69${digits('channel', 7)}`,
    pin: digits('pin', 4),
  }
}
