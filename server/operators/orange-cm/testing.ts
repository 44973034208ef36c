import { randomUUID } from 'node:crypto'
import type { Submission } from '../connector.ts'
import { orangeCmSettingsSchema } from './orange-cm-client.ts'

export function orangeCmSettings(baseUrl: string, overrides: Record<string, unknown> = {}) {
  const document = {
    environment: 'production',
    consumerKey: 'key',
    consumerSecret: 'secret',
    apiUser: 'user',
    apiPassword: 'password',
    channelMsisdn: '690000001',
    pin: '2222',
  }
  return orangeCmSettingsSchema.parse({ ...document, baseUrl, ...overrides })
}

export function anOrangeCmSubmission(overrides: Partial<Submission> = {}): Submission {
  return {
    reference: randomUUID(),
    applicationId: randomUUID(),
    operator: 'OMCM',
    type: 'COLLECT',
    amountMinor: 500_000n,
    currency: 'XAF',
    phoneNumber: '237690209341',
    customerName: 'Ève',
    ...overrides,
  }
}
