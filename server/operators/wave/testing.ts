import { randomUUID } from 'node:crypto'
import type { Submission } from '../connector.ts'
import { waveSettingsSchema } from './wave-client.ts'

export const WAVE_SIGNING_SECRET = 'wave_sn_WHS_0123456789'

export function waveSettings(baseUrl: string) {
  return waveSettingsSchema.parse({ baseUrl, apiKey: 'wave_sn_prod_0123456789', signingSecret: WAVE_SIGNING_SECRET })
}

export function aWaveSubmission(overrides: Partial<Submission> = {}): Submission {
  return {
    reference: randomUUID(),
    applicationId: randomUUID(),
    operator: 'SNWAVE',
    type: 'COLLECT',
    amountMinor: 500_000n,
    currency: 'XOF',
    phoneNumber: '221772093341',
    customerName: 'Awa Ndiaye',
    payToken: '0f9a2b1e-3c4d-4e5f-8a6b-7c8d9e0f1a2b',
    ...overrides,
  }
}
