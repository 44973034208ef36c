import { createHash } from 'node:crypto'

type SonatelAccount = { clientId: string; clientSecret: string; merchantCode: string; channelMsisdn: string; pin: string }

/** The application, the merchant and the retailer of Orange in Senegal; derived from the simulator's secret. */
export function sonatelAccountOf(secret: string): SonatelAccount {
  const hex = (name: string) => createHash('sha256').update(`${secret} orange-sonatel ${name}`).digest('hex')
  return {
    clientId: hex('client').slice(0, 32),
    clientSecret: hex('secret').slice(0, 32),
    merchantCode: '397666',
    channelMsisdn: '771000001',
    pin: String(Number.parseInt(hex('pin').slice(0, 8), 16) % 10_000).padStart(4, '0'),
  }
}
