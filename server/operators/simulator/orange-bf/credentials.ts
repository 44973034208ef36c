import { createHash } from 'node:crypto'

/** The merchant of Orange in Burkina Faso; derived from the simulator's secret. */
export function orangeBfAccountOf(secret: string): { merchantMsisdn: string; apiUsername: string; apiPassword: string } {
  const hex = (name: string) => createHash('sha256').update(`${secret} orange-bf ${name}`).digest('hex')
  return { merchantMsisdn: '76000001', apiUsername: `merchant_${hex('user').slice(0, 8)}`, apiPassword: hex('password').slice(0, 16) }
}
