import { randomUUID } from 'node:crypto'
import type { Submission } from '../connector.ts'
import { orangeWebSettingsSchema } from './orange-web-client.ts'

export function orangeWebSettings(baseUrl: string, overrides: Record<string, unknown> = {}) {
  const document = { country: 'ci', clientId: 'client', clientSecret: 'secret', merchantKey: 'f4b2e1' }
  return orangeWebSettingsSchema.parse({ ...document, baseUrl, ...overrides })
}

export function anOrangeWebSubmission(overrides: Partial<Submission> = {}): Submission {
  return {
    reference: randomUUID(),
    applicationId: randomUUID(),
    operator: 'CIOM',
    type: 'COLLECT',
    amountMinor: 500_000n,
    currency: 'XOF',
    phoneNumber: '2250701020341',
    customerName: 'Adjoua Koffi',
    payToken: '0f9a2b1e-3c4d-4e5f-8a6b-7c8d9e0f1a2b',
    ...overrides,
  }
}
