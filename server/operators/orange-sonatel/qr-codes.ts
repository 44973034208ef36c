import { FAILURE_MESSAGES } from '#lib/payments/transactions/transaction-status.ts'
import type { KeepIdentifiers, StatusEnquiry, Submission, SubmitOutcome } from '#server/operators/connector.ts'
import type { ConnectorContext } from '#server/operators/settings/protocol.ts'
import { jsonAmount, nationalNumber } from '#server/operators/wire-formats.ts'
import { exchangeOf, notSentOrUnknown, readAnswer } from '../operator-http-client.ts'
import { qrSchema } from './messages.ts'
import type { SonatelClient, SonatelSettings } from './sonatel-client.ts'

/** Sonatel promises the final status of a payment that was started at the last moment within a day. */
const GRACE_S = 86_400
const NAME_LENGTH_MAX = 50

const KEPT = /^(\d{10})\..+$/

type Sonatel = { context: ConnectorContext; settings: SonatelSettings; client: SonatelClient }

/**
 * Makes a QR code with a link. It moves no money, and nobody gets the link before its end is stored: the code of a reply that was lost is
 * unknown to the customer, and the next submission makes another one.
 */
export async function makeQrCode(sonatel: Sonatel, submission: Submission, keep: KeepIdentifiers): Promise<SubmitOutcome> {
  const { context, settings, client } = sonatel
  const { publicUrl, callbackUrl, clock } = context
  const { payToken, reference, applicationId, amountMinor, currency, merchantName, writeBeforeMs } = submission
  if (publicUrl === undefined || payToken === undefined) return notSent('There is no page to return to')
  const returnUrl = `${publicUrl}/pay/${payToken}`
  const endsAtS = Math.floor(clock.now().getTime() / 1_000) + settings.qrValidityS
  const body = {
    amount: { value: jsonAmount(amountMinor), unit: currency },
    code: settings.merchantCode,
    // The app shows this name to the customer who pays.
    name: (merchantName || settings.merchantCode).slice(0, NAME_LENGTH_MAX),
    // A second customer, or the same one again, cannot pay with it.
    restrictions: { isSingleUse: true },
    validity: settings.qrValidityS,
    callbackSuccessUrl: returnUrl,
    callbackCancelUrl: returnUrl,
    reference,
    metadata: { transaction: reference, application: applicationId, customer: nationalNumber(submission) },
  }
  const headers: Record<string, string> = callbackUrl === undefined ? {} : { 'x-callback-url': callbackUrl }
  const outcome = await client.post('/api/eWallet/v4/qrcode', body, { headers, writeBeforeMs })
  const isOk = outcome.kind === 'answered' && (outcome.httpStatus === 200 || outcome.httpStatus === 201)
  const made = isOk ? readAnswer(outcome, qrSchema) : undefined
  const customerLink = made?.deepLinks[settings.app] ?? made?.deepLinks.OM ?? made?.deepLinks.MAXIT
  if (!made || customerLink === undefined) return notSentOrUnknown(outcome)
  const kept = { operatorReference: `${endsAtS}.${made.qrId}`, customerLink }
  if (!(await keep(kept))) return notSent('Another process has taken the submission over')
  return { kind: 'accepted', ...kept, exchange: exchangeOf(outcome) }
}

type QrState = { isOpen: boolean }

/** The QR code that a submission kept; undefined if it kept none. */
export function qrStateOf({ operatorReference = '' }: StatusEnquiry, now: Date): QrState | undefined {
  const endsAtS = KEPT.exec(operatorReference)?.[1]
  if (endsAtS === undefined) return undefined
  return { isOpen: now.getTime() / 1_000 < Number(endsAtS) + GRACE_S }
}

/** The end of a code with which nobody tried to pay. */
export const QR_EXPIRED = { reason: FAILURE_MESSAGES.operatorTimeout, operatorCode: '4004' }

function notSent(detail: string): SubmitOutcome {
  return { kind: 'not_sent', detail, exchange: { httpStatus: null, answer: detail } }
}
