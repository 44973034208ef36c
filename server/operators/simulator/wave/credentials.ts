import { createHash } from 'node:crypto'

const WALLETS = { CIWAVE: 'ci', SNWAVE: 'sn' } as const
export type WaveOperator = keyof typeof WALLETS
export const WAVE_OPERATORS = Object.keys(WALLETS) as WaveOperator[]

/** The API key of the wallet of a country and the secret of its webhook; derived from the simulator's secret. */
export function waveAccountOf(secret: string, operator: WaveOperator): { apiKey: string; signingSecret: string } {
  const hex = (name: string) => createHash('sha256').update(`${secret} ${operator} ${name}`).digest('hex')
  return {
    apiKey: `wave_${WALLETS[operator]}_prod_${hex('key')}`,
    signingSecret: `wave_${WALLETS[operator]}_WHS_${hex('webhook').slice(0, 40)}`,
  }
}
