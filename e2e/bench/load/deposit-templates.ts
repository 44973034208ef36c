import type { Partner } from '#e2e/bench/environment/partners.ts'
import { OPERATOR_CODES, OPERATORS } from '#lib/operators/operators.ts'
import type { Template } from './plan.ts'

/** Part of the answer to every accepted deposit. */
export const ACCEPTED = '"transactionStatus":"PENDING"'

/** A deposit for each partner at an operator of its own turn; several per partner, so that all thirteen balances are used. */
export function depositTemplates(partners: Partner[], perPartner: number): Template[] {
  return partners.flatMap((partner, index) =>
    Array.from({ length: perPartner }, (_, turn) => depositTemplate(partner, index * perPartner + turn)),
  )
}

/** The three credentials as header lines. */
export function credentialLines(partner: Partner): string {
  return `apiKey: ${partner.apiKey}\r\napiId: ${partner.apiId}\r\nAuthorization: Bearer ${partner.accessToken}\r\n`
}

/** A collect or a deposit at each operator in turn, with a webhook; phone numbers at which the simulator always succeeds. */
export function flowTemplates(partners: Partner[], perPartner: number, receivers: string[]): Template[] {
  return partners.flatMap((partner, index) =>
    Array.from({ length: perPartner }, (_, turn) => {
      const number = index * perPartner + turn
      const operator = OPERATORS[OPERATOR_CODES[number % OPERATOR_CODES.length] ?? 'MOMOCM']
      const phoneNumber = `${operator.country.dialCode}${String(670_000 + (number % 9_999)).padStart(6, '0')}${100 + (number % 800)}`
      return templateOf(partner, number % 2 === 0 ? 'collect' : 'deposit', {
        transferMethod: operator.code,
        customerName: 'Clarisse Mbarga Essomba',
        phoneNumber,
        amount: 5_000 + (number % 125) * 200,
        webhookUrl: `${receivers[index % receivers.length]}/hook`,
        countryName: operator.country.name,
      })
    }),
  )
}

function depositTemplate(partner: Partner, turn: number): Template {
  const operator = OPERATORS[OPERATOR_CODES[turn % OPERATOR_CODES.length] ?? 'MOMOCM']
  const phoneNumber = `${operator.country.dialCode}${String(670_000_000 + ((turn * 7_919) % 9_999_999)).padStart(9, '0')}`
  return templateOf(partner, 'deposit', {
    transferMethod: operator.code,
    customerName: 'Clarisse Mbarga Essomba',
    phoneNumber,
    amount: 5_000 + (turn % 125) * 200,
    webhookUrl: 'https://hooks.partner.example/payments/results',
    countryName: operator.country.name,
  })
}

function templateOf(partner: Partner, endpoint: 'collect' | 'deposit', fields: Record<string, string | number>): Template {
  return {
    head: `POST /api/v1/transaction/${endpoint} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n${credentialLines(partner)}`,
    body: { before: `${JSON.stringify(fields).slice(0, -1)},"externalId":"`, after: '"}' },
  }
}
