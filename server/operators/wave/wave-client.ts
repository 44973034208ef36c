import { FAILURE_MESSAGES } from '#lib/transaction-status.ts'
import { outcomeOfCode } from '#server/operators/answer-table.ts'
import type { SubmitOutcome } from '#server/operators/connector.ts'
import { type CallOutcome, createOperatorHttpClient, type OperatorRequest } from '#server/operators/operator-call.ts'
import { readAnswer } from '#server/operators/read-answer.ts'
import type { ConnectorContext } from '#server/operators/settings/protocol.ts'
import { WAVE_ANSWERS } from './answers.ts'
import { errorSchema } from './messages.ts'
import type { WaveSettings } from './settings.ts'

export type WaveClient = {
  get(path: string): Promise<CallOutcome>
  post(path: string, body: object, options: Pick<OperatorRequest, 'headers' | 'writeBeforeMs'>): Promise<CallOutcome>
  close(): Promise<void>
}

/** Calls with the API key of one wallet. */
export function createWaveClient(context: ConnectorContext, { baseUrl, apiKey }: WaveSettings): WaveClient {
  const http = createOperatorHttpClient(baseUrl, context.connectionsMax, context.transport)
  const authorization = { authorization: `Bearer ${apiKey}` }
  return {
    get: (path) => http.call({ method: 'GET', path, headers: authorization, timeoutMs: context.queryTimeoutMs }),
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
