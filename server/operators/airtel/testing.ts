import { randomUUID } from 'node:crypto'
import type { Submission } from '../connector.ts'
import { airtelSettingsSchema } from './airtel-client.ts'

export function airtelSettings(baseUrl: string, overrides: Record<string, unknown> = {}) {
  const document = { environment: 'uat', clientId: 'client', clientSecret: 'secret', pin: '1234' }
  return airtelSettingsSchema.parse({ ...document, baseUrl, ...overrides })
}

export function anAirtelSubmission(overrides: Partial<Submission> = {}): Submission {
  return {
    reference: randomUUID(),
    applicationId: randomUUID(),
    operator: 'UGAIRTEL',
    type: 'COLLECT',
    amountMinor: 500_000n,
    currency: 'UGX',
    phoneNumber: '256702209341',
    customerName: 'Akello',
    ...overrides,
  }
}
