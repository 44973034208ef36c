import { randomUUID } from 'node:crypto'
import type { RefusalCause } from '#lib/partner/partner-requests.ts'
import type { Queryable } from '#server/database/pool.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import type { Credentials } from './authenticate-caller.ts'
import { findOwners, type OwnerDeps, withoutOwner } from './call-owners.ts'
import { BODY_BYTES_KEPT, type CallRow, deleteCallsBefore, storeCalls } from './recent-calls-store.ts'
import { describeHeaders, hideValues, redactBody, redactQuery } from './redact-call.ts'

/** The application that a call belongs to, as far as the endpoint knows it. `isProven`: the caller proved it. */
export type KnownOwner = {
  applicationId: string
  keyPrefix?: string | undefined
  cause?: RefusalCause | undefined
  isProven: boolean
}

/** A call and its answer. `owner` undefined: its application is found by its credentials. */
export type NotedCall = {
  owner: KnownOwner | undefined
  method: string
  path: string
  /** The query without its question mark. */
  search: string
  header(name: string): string | undefined
  /** The body as far as it was read. */
  body: Uint8Array
  /** The endpoint reads a password or a token from the body. */
  readsPasswords: boolean
  status: number
  answer: { contentType: string; headers: Readonly<Record<string, string>>; body: string }
  address: string
  at: Date
  durationMs: number
}

/** A call of which only the beginning of the body is kept. */
type KeptCall = NotedCall & { bodyBytes: number }

/** Notes the calls of programs with request and answer, for the sandbox. */
export type RecentCalls = {
  note(call: NotedCall): void
  /** Writes what is not written yet, and stops. */
  close(): Promise<void>
}

const COLLECT_MS = 400
/** Calls of one application in a statement. More in the same time replace the oldest. */
const EACH_MAX = 100
const APPLICATIONS_MAX = 50
/** Calls that wait until their application is found, and of those calls of one address. */
const UNOWNED_MAX = 200
const UNOWNED_EACH_MAX = 50
/** The characters of each text that are kept. */
const QUERY_MAX = 2_000
const PATH_MAX = 200
const MESSAGE_MAX = 2_000
/** As many as depositMultiple can start. */
const IDS_MAX = 1_000

/**
 * Keeps the newest calls in memory and writes them in one statement per half second, without their credentials. Open pages learn of them as
 * of any other change.
 */
export function createRecentCalls(deps: OwnerDeps): RecentCalls {
  let owned = new Map<string, { call: KeptCall; owner: KnownOwner }[]>()
  let unowned: KeptCall[] = []
  let byAddress = new Map<string, number>()
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()

  function keep(call: KeptCall, owner: KnownOwner): void {
    const own = owned.get(owner.applicationId) ?? []
    if (own.length === 0 && owned.size >= APPLICATIONS_MAX) return
    owned.set(owner.applicationId, own)
    own.push({ call, owner })
    if (own.length > EACH_MAX) own.shift()
  }

  function keepUnowned(call: KeptCall): void {
    const count = byAddress.get(call.address) ?? 0
    if (count >= UNOWNED_EACH_MAX || unowned.length >= UNOWNED_MAX) return
    byAddress.set(call.address, count + 1)
    unowned.push(call)
  }

  async function write(): Promise<void> {
    timer = undefined
    try {
      const calls = unowned
      unowned = []
      byAddress = new Map()
      const owners = await findOwners(
        deps,
        calls.map((call) => withoutOwner(credentialsOf(call), call.address, call.at)),
      )
      calls.forEach((call, place) => {
        const owner = owners[place]
        if (owner) keep(call, { ...owner, isProven: owner.keyPrefix !== undefined })
      })
      const rows = [...owned.values()].flat().map(({ call, owner }) => toRow(call, owner))
      owned = new Map()
      if (rows.length > 0) await storeCalls(deps.pool, rows)
    } catch (error) {
      reportUnexpected('sandbox: calls', error, { message: 'The newest calls could not be stored for the pages of the sandbox' })
    }
  }

  return {
    note(call) {
      // Only the beginning: the rest of a large body returns to the budget of all bodies with the answer.
      const kept = { ...call, body: call.body.slice(0, BODY_BYTES_KEPT), bodyBytes: call.body.length }
      if (call.owner) keep(kept, call.owner)
      else keepUnowned(kept)
      timer ??= setTimeout(() => {
        writing = write()
      }, COLLECT_MS).unref()
    },
    async close() {
      clearTimeout(timer)
      await writing
      if (owned.size + unowned.length > 0) await write()
    },
  }
}

function credentialsOf({ header }: NotedCall): Credentials {
  return { apiKey: header('apikey'), apiId: header('apiid'), authorization: header('authorization') }
}

/** A name of a transaction in a body, with or without the quotes of JSON, and in the path and query of an address. */
const NAMED_IN_BODY = /"(transactionId|externalId)"\s*:\s*"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"/gi
const NAMED_IN_ADDRESS = /(?:[/&?]|\b(?:id|transactionId|(externalId))=)([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?=[/&]|$)/gi

/**
 * The transactions that a call is about: those that it names, and those that its answer names. A list names transactions that it is not about,
 * so the answer counts only if the call changes something or asks for one transaction.
 */
function transactionsOf({ method, path, search, answer }: NotedCall, body: string): { transactionIds: string[]; externalIds: string[] } {
  const transactionIds = new Set<string>()
  const externalIds = new Set<string>()
  const add = (isExternal: boolean, id: string) => (isExternal ? externalIds : transactionIds).add(id.toLowerCase())
  for (const [, external, id = ''] of `${path}?${search}`.matchAll(NAMED_IN_ADDRESS)) add(external !== undefined, id)
  for (const [, name = '', id = ''] of body.matchAll(NAMED_IN_BODY)) add(name.toLowerCase() === 'externalid', id)
  const isAboutOne = transactionIds.size + externalIds.size > 0
  if (method === 'POST' || isAboutOne)
    for (const [, name = '', id = ''] of answer.body.matchAll(NAMED_IN_BODY)) add(name.toLowerCase() === 'externalid', id)
  const bounded = (ids: Set<string>) => [...ids].slice(0, IDS_MAX)
  return { transactionIds: bounded(transactionIds), externalIds: bounded(externalIds) }
}

const TEXT = new TextDecoder()

/** The row of a call. Everything that people can read is redacted here. */
function toRow(call: KeptCall, { applicationId, keyPrefix, cause, isProven }: KnownOwner): CallRow {
  const { answer, status, durationMs, readsPasswords } = call
  const answerBytes = Buffer.from(answer.body)
  const body = TEXT.decode(call.body)
  return {
    ...transactionsOf(call, body),
    applicationId,
    requestId: randomUUID(),
    at: call.at,
    method: call.method,
    path: storable(hideValues(call.path.slice(0, PATH_MAX))),
    query: storable(redactQuery(call.search.slice(0, QUERY_MAX))),
    status,
    // Wrong credentials change no answer but a 401, and a 403 of an endpoint has its reason.
    cause: status === 401 || status === 403 ? (cause ?? null) : null,
    message: messageOf(status, answer.body),
    address: call.address,
    durationMs: Math.round(durationMs),
    isProven,
    keyPrefix: keyPrefix ?? null,
    requestHeaders: storable(describeHeaders(call.header, keyPrefix)),
    requestBody: storable(redactBody(body, readsPasswords)),
    requestBytes: call.bodyBytes,
    answerHeaders: storable(headersOf(answer)),
    answerBody: storable(redactBody(TEXT.decode(answerBytes.subarray(0, BODY_BYTES_KEPT)), false)),
    answerBytes: answerBytes.length,
  }
}

function headersOf({ contentType, headers }: NotedCall['answer']): string {
  return [`content-type: ${contentType}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)].join('\n')
}

/** The reason of a refusal: the message of the five fields of an error. */
function messageOf(status: number, body: string): string | null {
  if (status < 400) return null
  try {
    const answer: unknown = JSON.parse(body)
    const message = typeof answer === 'object' && answer !== null && 'message' in answer ? answer.message : null
    return typeof message === 'string' ? storable(hideValues(message.slice(0, MESSAGE_MAX))) : null
  } catch {
    // Not an error of the API: it has no reason.
    return null
  }
}

/** PostgreSQL stores neither NUL nor half of a surrogate pair. */
function storable(text: string): string {
  return text.replaceAll('\0', '\ufffd').toWellFormed()
}

const KEPT_MS = 7 * 24 * 3_600_000

/** Removes calls that are older than a week. For the scheduled cleaning. Returns how many. */
export function pruneCalls(queryable: Queryable, now: Date): Promise<number> {
  return deleteCallsBefore(queryable, new Date(now.getTime() - KEPT_MS))
}
