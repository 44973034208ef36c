import { randomUUID } from 'node:crypto'
import type { Submission } from '../connector.ts'
import { moovSettingsSchema } from './messages.ts'

/** The key of Moov's public test environment. */
export const TEST_KEY = 'tlc12345'.repeat(4)

export function moovSettings(baseUrl: string, overrides: Record<string, unknown> = {}) {
  const document = { environment: 'test', username: 'username', password: 'password', key: TEST_KEY }
  return moovSettingsSchema.parse({ ...document, baseUrl, ...overrides })
}

export function aMoovSubmission(overrides: Partial<Submission> = {}): Submission {
  return {
    reference: randomUUID(),
    applicationId: randomUUID(),
    operator: 'BJMOOV',
    type: 'COLLECT',
    amountMinor: 500_000n,
    currency: 'XOF',
    phoneNumber: '2290195209341',
    customerName: 'Sènan',
    ...overrides,
  }
}

/** An answer as Moov sends it. */
export function moovAnswer(operation: string, element: string, fields: Record<string, string>): string {
  const content = Object.entries(fields).map(([name, value]) => `<${name}>${value}</${name}>`)
  return `<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body><ns2:${operation}Response xmlns:ns2="http://api.merchant.tlc.com/"><${element}>${content.join('')}</${element}></ns2:${operation}Response></soap:Body></soap:Envelope>`
}
