import { createHash } from 'node:crypto'

export const MOOV_COUNTRIES = { bj: 'BJMOOV', ml: 'MLMOOV' } as const
export type MoovCountry = keyof typeof MOOV_COUNTRIES

type MoovAccount = { username: string; password: string; key: string; accountMsisdn: string }

/** The merchant that the simulator knows in a country; derived from its secret, so that every start has the same. */
export function moovAccountOf(secret: string, country: MoovCountry): MoovAccount {
  const hex = (name: string) => createHash('sha256').update(`${secret} moov ${country} ${name}`).digest('hex')
  return {
    username: `shop${hex('user').slice(0, 6)}`,
    password: hex('password').slice(0, 16),
    key: hex('key').slice(0, 32),
    accountMsisdn: country === 'bj' ? '2290195000001' : '22366000001',
  }
}
