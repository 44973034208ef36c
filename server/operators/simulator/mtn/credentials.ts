import { createHash } from 'node:crypto'

export type MtnSimulatorProduct = 'collection' | 'disbursement'

type MtnAccount = { subscriptionKey: string; apiUser: string; apiKey: string }

/** The account of a product that the simulator knows without provisioning; derived from its secret, so that every start has the same. */
export function mtnAccountOf(secret: string, product: MtnSimulatorProduct): MtnAccount {
  const hex = (name: string) => createHash('sha256').update(`${secret} ${product} ${name}`).digest('hex')
  const user = hex('user')
  return {
    subscriptionKey: hex('subscription').slice(0, 32),
    apiUser: `${user.slice(0, 8)}-${user.slice(8, 12)}-4${user.slice(13, 16)}-a${user.slice(17, 20)}-${user.slice(20, 32)}`,
    apiKey: hex('key').slice(0, 32),
  }
}
