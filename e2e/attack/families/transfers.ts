import type { Arsenal } from '#e2e/attack/arsenal.ts'
import type { AttackCase, Expectation, StatusRule } from '#e2e/attack/case.ts'
import { credentials, JSON_CONTENT, oneRequest } from '#e2e/attack/wire/request.ts'
import type { Random } from '#lib/seeded-random.ts'

export const TRANSACTION_PATH = '/api/v1/transaction'

/** The fields of a transfer, each as JSON text, so that a case can write what no JSON library would. */
type TransferFields = Record<
  'transferMethod' | 'customerName' | 'externalId' | 'phoneNumber' | 'amount' | 'webhookUrl' | 'countryName',
  string
>

export const TRANSFER_FIELD_NAMES = [
  'transferMethod',
  'customerName',
  'externalId',
  'phoneNumber',
  'amount',
  'webhookUrl',
  'countryName',
] as const

type Start = 'collect' | 'deposit' | 'depositMultiple'
const STARTS: readonly Start[] = ['collect', 'deposit', 'depositMultiple']

export function pickStart(random: Random): Start {
  return random.pick(STARTS)
}

/** A transfer that the service accepts, unless `changes` spoil it. The number's ending lets the simulator execute it. */
export function transfer(random: Random, arsenal: Arsenal, changes: Partial<TransferFields> = {}): TransferFields & { id: string } {
  const id = random.uuid()
  return {
    id,
    transferMethod: '"MOMOCM"',
    customerName: '"Clarisse Mbarga"',
    externalId: `"${id}"`,
    phoneNumber: `"237677${random.between(100, 999)}${random.between(100, 899)}"`,
    amount: String(random.between(1, 500)),
    webhookUrl: JSON.stringify(arsenal.webhookUrl),
    countryName: '"CAMEROON"',
    ...changes,
  }
}

export function objectText(fields: TransferFields): string {
  return `{${TRANSFER_FIELD_NAMES.map((name) => `"${name}":${fields[name]}`).join(',')}}`
}

/** POST of a JSON text to one of the three addresses that start transfers; an array around it where an array is due. */
export function startCase(
  what: string,
  arsenal: Arsenal,
  start: Start,
  element: string | Uint8Array,
  statuses: readonly StatusRule[],
  more: Partial<Expectation> & { starts?: readonly string[] } = {},
): AttackCase {
  const body = start === 'depositMultiple' ? Buffer.concat([Buffer.from('['), Buffer.from(element), Buffer.from(']')]) : element
  const target = `${TRANSACTION_PATH}/${start}`
  return oneRequest(`${start}: ${what}`, { method: 'POST', target, headers: [...credentials(arsenal), JSON_CONTENT], body }, statuses, {
    overload: 'the intake may be full for a moment',
    ...more,
  })
}
