import { formatMinor } from '#lib/money.ts'

/** The result that the body of a webhook is made from. `finalAt` is ISO 8601 in UTC. */
type WebhookResult = {
  externalId: string
  transactionId: string
  status: string
  amountMinor: bigint
  phoneNumber: string
  operator: string
  message: string | null
  finalAt: string
}

/** For results without a message. In French, as the messages of operators are. */
const DEFAULT_MESSAGES: Partial<Record<string, string>> = { SUCCESS: 'Transaction effectuée avec succès', FAILED: 'Transaction échouée' }

/**
 * The body of the transaction result webhook: the eight fields of the specification (Events), the amount exact, the
 * timestamp that of the final state, so that every attempt of a delivery carries the same bytes. With `copiesStatus`
 * also `transactionStatus`, for receivers that read that name.
 */
export function webhookPayload(result: WebhookResult, copiesStatus: boolean): string {
  const status = JSON.stringify(result.status)
  const message = result.message ?? DEFAULT_MESSAGES[result.status] ?? ''
  return (
    `{"externalId":"${result.externalId}","transactionId":"${result.transactionId}","status":${status},"amount":${formatMinor(result.amountMinor)}` +
    `,"phoneNumber":${JSON.stringify(result.phoneNumber)},"transferMethod":${JSON.stringify(result.operator)}` +
    `,"message":${JSON.stringify(message)},"timestamp":"${result.finalAt}"${copiesStatus ? `,"transactionStatus":${status}` : ''}}`
  )
}
