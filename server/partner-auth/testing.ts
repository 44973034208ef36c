import { randomUUID } from 'node:crypto'
import type { CallRow } from './recent-calls-store.ts'

/** The row of a call that was answered. */
export function aCallRow(applicationId: string, changes: Partial<CallRow> = {}): CallRow {
  return {
    applicationId,
    requestId: randomUUID(),
    at: new Date(),
    method: 'POST',
    path: '/api/v1/transaction/collect',
    query: '',
    status: 200,
    cause: null,
    message: null,
    address: '192.0.2.1',
    durationMs: 12,
    isProven: true,
    keyPrefix: 'csk_abcdefgh',
    requestHeaders: 'content-type: application/json',
    requestBody: '{}',
    requestBytes: 2,
    answerHeaders: 'content-type: application/json',
    answerBody: '{}',
    answerBytes: 2,
    transactionIds: [],
    externalIds: [],
    ...changes,
  }
}
