import { randomUUID } from 'node:crypto'
import type { Submission } from '../connector.ts'
import { mtnSettingsSchema } from './product-client.ts'

const MTN_DOCUMENT = {
  targetEnvironment: 'mtncameroon',
  collection: {
    subscriptionKey: 'c'.repeat(32),
    apiUser: 'c72025f5-5cd1-4630-99e4-8ba4722fad56',
    apiKey: 'f1db798c98df4bcf83b538175893bbf0',
  },
  disbursement: {
    subscriptionKey: 'd'.repeat(32),
    apiUser: 'd72025f5-5cd1-4630-99e4-8ba4722fad56',
    apiKey: 'e1db798c98df4bcf83b538175893bbf0',
  },
}

export function mtnSettings(baseUrl: string, overrides: Record<string, unknown> = {}) {
  return mtnSettingsSchema.parse({ ...MTN_DOCUMENT, baseUrl, ...overrides })
}

export function anMtnSubmission(overrides: Partial<Submission> = {}): Submission {
  return {
    // As transactions have it: with the version 7.
    reference: randomUUID().replace(/^(.{14})./, (_, start: string) => `${start}7`),
    applicationId: randomUUID(),
    operator: 'MOMOCM',
    type: 'COLLECT',
    amountMinor: 500_000n,
    currency: 'XAF',
    phoneNumber: '237677209341',
    customerName: "Ève d'Almeida",
    merchantName: "Épicerie d'Akwa (1)",
    ...overrides,
  }
}
