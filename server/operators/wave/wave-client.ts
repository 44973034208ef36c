import { type CallOutcome, createOperatorHttpClient } from '#server/operators/operator-call.ts'
import { readAnswer } from '#server/operators/read-answer.ts'
import type { ConnectorContext } from '#server/operators/settings/protocol.ts'
import { errorSchema } from './messages.ts'
import type { WaveSettings } from './settings.ts'

export type WaveClient = {
  get(path: string): Promise<CallOutcome>
  post(path: string, body: object, headers?: Record<string, string>): Promise<CallOutcome>
  close(): Promise<void>
}

/** Calls with the API key of one wallet. */
export function createWaveClient(context: ConnectorContext, { baseUrl, apiKey }: WaveSettings): WaveClient {
  const http = createOperatorHttpClient(baseUrl, context.connectionsMax)
  const authorization = { authorization: `Bearer ${apiKey}` }
  return {
    get: (path) => http.call({ method: 'GET', path, headers: authorization, timeoutMs: context.queryTimeoutMs }),
    post: (path, body, headers) =>
      http.call({
        method: 'POST',
        path,
        headers: { ...authorization, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
        timeoutMs: context.submitTimeoutMs,
      }),
    close: () => http.close(),
  }
}

/** Wave's own refusal of a request that it understood and did not carry out. */
export function refusalIn(outcome: CallOutcome): { code: string; isAboutNumber: boolean } | undefined {
  if (outcome.kind !== 'answered' || outcome.httpStatus < 400 || outcome.httpStatus > 499) return undefined
  const error = readAnswer(outcome, errorSchema)
  if (!error) return undefined
  const isAboutNumber = (error.details ?? []).some(({ loc = [] }) => loc.some((part) => /mobile/.test(String(part))))
  return { code: error.code, isAboutNumber }
}

/** What a transfer is called at Wave: it names the whole key of its row. */
export function clientReferenceOf({ reference, applicationId }: { reference: string; applicationId: string }): string {
  return `${reference}.${applicationId}`
}
