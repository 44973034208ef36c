import { randomUUID } from 'node:crypto'
import type { Submission } from '../connector.ts'
import { orangeBfSettingsSchema } from './messages.ts'

export function orangeBfSettings(baseUrl: string, overrides: Record<string, unknown> = {}) {
  const document = { merchantMsisdn: '76000001', apiUsername: 'merchant', apiPassword: 'a & <b>' }
  return orangeBfSettingsSchema.parse({ ...document, baseUrl, ...overrides })
}

export function anOrangeBfSubmission(overrides: Partial<Submission> = {}): Submission {
  return {
    reference: randomUUID(),
    applicationId: randomUUID(),
    operator: 'BFOM',
    type: 'COLLECT',
    amountMinor: 500_000n,
    currency: 'XOF',
    phoneNumber: '22676123341',
    customerName: 'Awa Ouédraogo',
    customerCode: '123456',
    ...overrides,
  }
}
