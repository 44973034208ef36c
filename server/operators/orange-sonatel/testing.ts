import { randomUUID } from 'node:crypto'
import type { Submission } from '../connector.ts'
import { sonatelSettingsSchema } from './sonatel-client.ts'

export function sonatelSettings(baseUrl: string, overrides: Record<string, unknown> = {}) {
  const document = { environment: 'sandbox', clientId: 'client', clientSecret: 'secret', merchantCode: '123456' }
  return sonatelSettingsSchema.parse({
    ...document,
    baseUrl,
    channelMsisdn: '771000001',
    pin: '2468',
    believesEmptySearches: true,
    ...overrides,
  })
}

export function aSonatelSubmission(overrides: Partial<Submission> = {}): Submission {
  return {
    reference: randomUUID(),
    applicationId: randomUUID(),
    operator: 'SNOM',
    type: 'COLLECT',
    amountMinor: 500_000n,
    currency: 'XOF',
    phoneNumber: '221772093341',
    customerName: 'Awa Ndiaye',
    merchantName: 'Boutique Sandaga',
    customerCode: '654321',
    payToken: '0f9a2b1e-3c4d-4e5f-8a6b-7c8d9e0f1a2b',
    ...overrides,
  }
}
