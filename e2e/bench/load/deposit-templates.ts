import type { Player } from '#e2e/bench/environment/cast.ts'
import { OPERATOR_CODES, OPERATORS } from '#lib/operators.ts'
import type { Template } from './plan.ts'

/** What the answer to an accepted deposit contains. */
export const ACCEPTED = '"transactionStatus":"PENDING"'

/** A deposit for each partner at an operator of its own turn; several per partner, so that all thirteen balances are used. */
export function depositTemplates(players: Player[], perPlayer: number): Template[] {
  return players.flatMap((player, index) =>
    Array.from({ length: perPlayer }, (_, turn) => depositTemplate(player, index * perPlayer + turn)),
  )
}

/** The three credentials as header lines. */
export function credentialLines(player: Player): string {
  return `apiKey: ${player.apiKey}\r\napiId: ${player.apiId}\r\nAuthorization: Bearer ${player.accessToken}\r\n`
}

function depositTemplate(player: Player, turn: number): Template {
  const operator = OPERATORS[OPERATOR_CODES[turn % OPERATOR_CODES.length] ?? 'MOMOCM']
  const phoneNumber = `${operator.country.dialCode}${String(670_000_000 + ((turn * 7_919) % 9_999_999)).padStart(9, '0')}`
  const fields = {
    transferMethod: operator.code,
    customerName: 'Clarisse Mbarga Essomba',
    phoneNumber,
    amount: 5_000 + (turn % 1_000) * 25,
    webhookUrl: 'https://hooks.partner.example/payments/results',
    countryName: operator.country.name,
  }
  return {
    head: `POST /api/v1/transaction/deposit HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n${credentialLines(player)}`,
    body: { before: `${JSON.stringify(fields).slice(0, -1)},"externalId":"`, after: '"}' },
  }
}
