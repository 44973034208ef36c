import { formatMinor } from '#lib/money/money.ts'
import type { Reversal, SubmitOutcome } from '../connector.ts'
import { exchangeOf, notSentOrUnknown, readAnswer, unknownOutcome } from '../operator-http-client.ts'
import type { ConnectorContext } from '../settings/protocol.ts'
import type { TokenClient } from '../tokens/token-client.ts'
import { refusedReversal } from '../wire-formats.ts'
import { errorSchema, mtnReference, REFUSALS, reasonOf, refundSchema } from './messages.ts'
import type { MtnSettings } from './product-client.ts'

/**
 * Refunds a collect from the account of disbursements. The reversal's reference is its `X-Reference-Id`, under which MTN refunds once: a repeated call
 * looks for the refund first, and sends it again only if MTN does not know it.
 */
export async function refund(
  client: TokenClient,
  context: ConnectorContext,
  settings: MtnSettings,
  reversal: Reversal,
): Promise<SubmitOutcome> {
  const found = reversal.isRepeated ? await findRefund(client, context, settings, reversal) : undefined
  return found ?? sendRefund(client, context, settings, reversal)
}

/** The outcome of the refund; undefined if MTN does not know it. */
async function findRefund(
  client: TokenClient,
  context: ConnectorContext,
  { sandboxCurrency }: MtnSettings,
  reversal: Reversal,
): Promise<SubmitOutcome | undefined> {
  const path = `/disbursement/v1_0/refund/${reversal.reversalReference}`
  const outcome = await client.call({ method: 'GET', path, headers: {}, timeoutMs: context.queryTimeoutMs })
  if (outcome.kind === 'answered' && outcome.httpStatus === 404 && readAnswer(outcome, errorSchema)?.code === 'RESOURCE_NOT_FOUND')
    return undefined
  const found = outcome.kind === 'answered' && outcome.httpStatus === 200 ? readAnswer(outcome, refundSchema) : undefined
  if (found?.externalId !== reversal.reference) return unknownOutcome(outcome)
  const exchange = exchangeOf(outcome)
  if (found.status === 'SUCCESSFUL') {
    const currency = found.currency === sandboxCurrency ? undefined : (found.currency ?? undefined)
    return { kind: 'succeeded', reported: { amountMinor: found.amount, currency }, exchange }
  }
  if (found.status !== 'FAILED') return { kind: 'accepted', exchange }
  return refusedReversal(reasonOf(found), undefined, exchange)
}

async function sendRefund(
  client: TokenClient,
  context: ConnectorContext,
  { sandboxCurrency }: MtnSettings,
  reversal: Reversal,
): Promise<SubmitOutcome> {
  const outcome = await client.call({
    method: 'POST',
    path: '/disbursement/v1_0/refund',
    headers: { 'x-reference-id': reversal.reversalReference },
    body: JSON.stringify({
      amount: formatMinor(reversal.amountMinor),
      currency: sandboxCurrency ?? reversal.currency,
      externalId: reversal.reference,
      payerMessage: `Refund ${reversal.reference}`,
      payeeNote: reversal.reference,
      referenceIdToRefund: mtnReference(reversal.reference),
    }),
    timeoutMs: context.submitTimeoutMs,
    writeBeforeMs: reversal.writeBeforeMs,
  })
  if (outcome.kind !== 'answered') return notSentOrUnknown(outcome)
  if (outcome.httpStatus === 202) return { kind: 'accepted', exchange: exchangeOf(outcome) }
  const error = REFUSALS.has(outcome.httpStatus) ? readAnswer(outcome, errorSchema) : undefined
  if (error?.code === 'RESOURCE_ALREADY_EXIST') return { kind: 'accepted', exchange: exchangeOf(outcome) }
  // A request that MTN refuses as malformed was not queued. Every other answer leaves it open, and the next call looks for the refund.
  return error?.code === 'BAD_REQUEST' ? refusedReversal(error.code, error.message, exchangeOf(outcome)) : unknownOutcome(outcome)
}
