import type { KnownOwner, RecentCalls } from '#server/partner-auth/recent-calls.ts'
import type { ApiRequest, ApiResponse } from '../request/api-request.ts'

/** Facts about a request that become known while it is answered, besides its response. */
export type CallTrace = {
  /** The caller's application, once its credentials, address and account were accepted. For logs and metrics. */
  applicationId: string | undefined
  /** Whose call it is, also if it was refused. For the list of calls of a sandbox. */
  owner: KnownOwner | undefined
}

type CallRecord = {
  /** The request, to be read in place of the one that arrived. */
  request: ApiRequest
  /** Notes the call with its answer. */
  end(owner: KnownOwner | undefined, readsPasswords: boolean, response: ApiResponse, durationMs: number): void
}

const NOTHING = new Uint8Array()

/** Begins the record of a call in a sandbox: remembers the body that the endpoint reads. */
export function beginRecord(calls: RecentCalls, arrived: ApiRequest, at: Date): CallRecord {
  let body: Uint8Array = NOTHING
  const { method, path, search, peerAddress, isForwarded, headers } = arrived
  const header = (name: string) => arrived.header(name)
  return {
    request: {
      ...{ method, path, search, peerAddress, isForwarded, headers, header },
      async readBody(bytesMax, owner) {
        const read = await arrived.readBody(bytesMax, owner)
        if (read.ok) body = read.value
        return read
      },
    },
    end(owner, readsPasswords, { status, headers: answerHeaders = {}, contentType, body: answer }, durationMs) {
      calls.note({
        ...{ owner, method, path, search, header, body, readsPasswords, status, at, durationMs },
        answer: { contentType, headers: answerHeaders, body: typeof answer === 'string' ? answer : answer.toString() },
        address: peerAddress ?? 'unknown',
      })
    },
  }
}
