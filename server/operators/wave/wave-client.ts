import { z } from 'zod'
import { FAILURE_MESSAGES, TRANSACTION_TYPES } from '#lib/payments/transactions/transaction-status.ts'
import { outcomeOfCode } from '../answer-table.ts'
import type { SubmitOutcome } from '../connector.ts'
import { type CallOutcome, createOperatorHttpClient, type OperatorRequest, readAnswer } from '../operator-http-client.ts'
import { COMMON_SETTINGS, type ConnectorContext, secretText } from '../settings/protocol.ts'
import { errorSchema, WAVE_ANSWERS } from './messages.ts'

const EXPIRY_GRACE_S = 300
const EXPIRY_GRACE_S_MAX = 86_400

export const waveSettingsSchema = z.strictObject({
  ...COMMON_SETTINGS,
  /** Of one wallet: `wave_sn_prod_…`. */
  apiKey: secretText,
  /** The directions for which the key has the APIs; both unless stated. */
  directions: z
    .array(z.enum(TRANSACTION_TYPES))
    .min(1)
    .default([...TRANSACTION_TYPES]),
  /** How long after its end a checkout that nobody seems to have paid is queried, for a payment that was started at the last moment. */
  expiryGraceS: z.int().min(0).max(EXPIRY_GRACE_S_MAX).default(EXPIRY_GRACE_S),
  /** Whether the key may list the transactions of a day, which are then fetched each night for the close of day. */
  listsDays: z.boolean().default(true),
  /** Of the webhook: what signs it, or what it carries as Authorization. Without one, callbacks are refused and polling finds the results. */
  signingSecret: secretText.optional(),
  sharedSecret: secretText.optional(),
})
export type WaveSettings = z.infer<typeof waveSettingsSchema>

export type WaveClient = {
  get(path: string, options?: Pick<OperatorRequest, 'answerBytesMax'>): Promise<CallOutcome>
  post(path: string, body: object, options: Pick<OperatorRequest, 'headers' | 'writeBeforeMs'>): Promise<CallOutcome>
  close(): Promise<void>
}

/** Calls with the API key of one wallet. */
export function createWaveClient(context: ConnectorContext, { baseUrl, apiKey }: WaveSettings): WaveClient {
  const http = createOperatorHttpClient(baseUrl, context.connectionsMax, context.transport)
  const authorization = { authorization: `Bearer ${apiKey}` }
  return {
    get: (path, options) => http.call({ method: 'GET', path, headers: authorization, timeoutMs: context.queryTimeoutMs, ...options }),
    post: (path, body, { headers, writeBeforeMs }) =>
      http.call({
        method: 'POST',
        path,
        headers: { ...authorization, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
        timeoutMs: context.submitTimeoutMs,
        writeBeforeMs,
      }),
    close: () => http.close(),
  }
}

/** The outcome of a submission that Wave did not answer with its object: only a refusal of Wave's own, with its code, proves something. */
export function refusalOf(outcome: CallOutcome): SubmitOutcome {
  const isRefusal = outcome.kind === 'answered' && outcome.httpStatus >= 400 && outcome.httpStatus <= 499
  const error = isRefusal ? readAnswer(outcome, errorSchema) : undefined
  const result = outcomeOfCode(WAVE_ANSWERS, error?.code, outcome)
  const isAboutNumber = (error?.details ?? []).some(({ loc = [] }) => loc.some((part) => /mobile/.test(String(part))))
  return result.kind === 'failed' && isAboutNumber ? { ...result, reason: FAILURE_MESSAGES.invalidNumber } : result
}

/** The client reference of a transfer at Wave: it names the whole key of its row. */
export function clientReferenceOf({ reference, applicationId }: { reference: string; applicationId: string }): string {
  return `${reference}.${applicationId}`
}
