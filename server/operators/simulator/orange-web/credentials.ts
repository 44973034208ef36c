import { createHash } from 'node:crypto'

/** The application and the merchant of Orange Web Payment; derived from the simulator's secret. */
export function orangeWebAccountOf(secret: string): { clientId: string; clientSecret: string; merchantKey: string } {
  const hex = (name: string) => createHash('sha256').update(`${secret} orange-web ${name}`).digest('hex')
  return { clientId: hex('id').slice(0, 32), clientSecret: hex('secret').slice(0, 16), merchantKey: hex('merchant').slice(0, 8) }
}
