import type { RefusalCause } from '#lib/partner/partner-requests.ts'
import type { Directory } from '#server/applications/directory.ts'
import { digest } from '#server/credentials/secrets.ts'
import type { Pool, Queryable } from '#server/database/pool.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import type { AccessClaims, Tokens } from './access-token.ts'
import { bearerOf, type Credentials } from './authenticate-caller.ts'
import { deleteRefusalsBefore, type RefusalRow, selectKeysByHash, storeRefusals } from './caller-records-store.ts'

/** A call with wrong credentials, kept until its cause is found: no key, only its digest. */
type UnexplainedRefusal = {
  apiId: string | undefined
  keyHash: Buffer | undefined
  token: string
  address: string
  at: Date
  request?: RefusedRequest | undefined
}

type Dependencies = { pool: Pool; tokens: Pick<Tokens, 'explain'>; directory: Pick<Directory, 'findByApiId' | 'find'> }
type KnownKey = { applicationId: string; keyPrefix: string; isRevoked: boolean; isExpired: boolean }

/**
 * Finds out why calls were refused with 401, in one statement for all of them. A call belongs to the application of its key, even of one
 * that has ended, because nobody else has it; else to that of a token which we signed; else to that of its apiId, which is not a secret. A
 * call with none of the three belongs to nobody and is left out.
 */
async function explainRefusals(dependencies: Dependencies, refusals: readonly UnexplainedRefusal[]): Promise<FoundRefusal[]> {
  if (refusals.length === 0) return []
  const { pool, tokens, directory } = dependencies
  const hashes = new Map(refusals.flatMap(({ keyHash }) => (keyHash ? [[keyHash.toString('hex'), keyHash] as const] : [])))
  const keys = await selectKeysByHash(pool, [...hashes.values()])
  const explained: FoundRefusal[] = []
  for (const refusal of refusals) {
    const key = refusal.keyHash && keys.get(refusal.keyHash.toString('hex'))
    const claims = refusal.token === '' ? undefined : await tokens.explain(refusal.token)
    const named = directory.findByApiId(refusal.apiId ?? '')
    const applicationId = key?.applicationId ?? claims?.applicationId ?? named?.applicationId
    const application = applicationId === undefined ? undefined : directory.find(applicationId)
    if (!application) continue
    const cause = causeOf(refusal, key, {
      isApiIdRight: named?.applicationId === application.applicationId,
      claims,
      applicationId: application.applicationId,
      currentEpoch: claims && application.apiUserEpochs.get(claims.apiUserId),
    })
    if (cause === undefined) continue
    const { address, at, request } = refusal
    const subject = key ? `${key.keyPrefix}…` : ''
    explained.push({ applicationId: application.applicationId, cause, address, subject, at, request })
  }
  return explained
}

type Facts = { isApiIdRight: boolean; applicationId: string; claims: AccessClaims | undefined; currentEpoch: number | undefined }

/** The first thing that is wrong; undefined if everything has become right in the meantime. */
function causeOf({ apiId, keyHash, token, at }: UnexplainedRefusal, key: KnownKey | undefined, facts: Facts): RefusalCause | undefined {
  const { isApiIdRight, applicationId, claims, currentEpoch } = facts
  if (!keyHash) return 'key_missing'
  if (!key) return 'key_unknown'
  if (key.isRevoked) return 'key_revoked'
  if (key.isExpired) return 'key_expired'
  if (apiId === undefined) return 'api_id_missing'
  if (!isApiIdRight) return 'api_id_wrong'
  if (token === '') return 'token_missing'
  if (!claims) return 'token_unreadable'
  if (claims.applicationId !== applicationId) return 'token_foreign'
  if (claims.expiresAtMs <= at.getTime()) return 'token_expired'
  if (currentEpoch === undefined || claims.epoch < currentEpoch) return 'token_ended'
  return undefined
}

/** Remembers why calls were refused, so that their partner can read it. */
export type RefusalLog = {
  /** A call whose three credentials were not accepted (401). The cause is found out later, outside of the request. */
  noteUnauthenticated(credentials: Credentials, address: string, request?: RefusedRequest): void
  /** A refusal of which application and cause are known. `subject` says what it is about: a user name, an operator. */
  note(refusal: { applicationId: string; cause: RefusalCause; address: string; subject?: string; request?: RefusedRequest }): void
  /** Writes what is not written yet, and stops. */
  close(): Promise<void>
}

/** Calls that wait in memory for their explanation; more than this many in a pause are not recorded. */
const WAITING_MAX = 500
/** Of those, calls of one address: a flood from one place leaves room for everybody else. */
const EACH_ADDRESS_MAX = 50
const TOKEN_LENGTH_MAX = 4_096
/** From the first refusal until it is stored, and between two statements while there is a flood. */
const COLLECT_MS = 500
const FLOOD_PAUSE_MS = 5_000

type RefusalLogOptions = {
  pool: Pool
  tokens: Pick<Tokens, 'explain'>
  directory: Pick<Directory, 'findByApiId' | 'find'>
  /** Called with each refusal whose application is known. */
  onExplained?: ((refusal: FoundRefusal) => void) | undefined
}

/**
 * Collects refusals in memory and stores them aggregated, in one statement per half second at most, and per five seconds in a flood. The
 * request itself only adds to a bounded list, whichever credential is wrong: its duration says nothing about the cause. Refusals that
 * nothing attributes to an application are not stored.
 */
export function createRefusalLog({ pool, tokens, directory, onExplained }: RefusalLogOptions): RefusalLog {
  let unexplained: UnexplainedRefusal[] = []
  let found: FoundRefusal[] = []
  let byAddress = new Map<string, number>()
  let timer: NodeJS.Timeout | undefined
  let lastWasFlood = false
  let storing: Promise<void> = Promise.resolve()

  async function store(): Promise<void> {
    timer = undefined
    const batch = { unexplained, found }
    unexplained = []
    found = []
    byAddress = new Map()
    lastWasFlood = batch.unexplained.length + batch.found.length >= EACH_ADDRESS_MAX
    try {
      const explained = await explainRefusals({ pool, tokens, directory }, batch.unexplained)
      const all = [...batch.found, ...explained]
      if (onExplained) for (const refusal of all) onExplained(refusal)
      const rows = aggregateRefusals(all)
      if (rows.length > 0) await storeRefusals(pool, rows)
    } catch (error) {
      reportUnexpected('refusals: store', error, { message: 'Refused calls could not be recorded for their partners' })
    }
  }

  /** Whether another refusal of this address may wait. Starts the timer. */
  function admit(address: string): boolean {
    const count = byAddress.get(address) ?? 0
    if (count >= EACH_ADDRESS_MAX || unexplained.length + found.length >= WAITING_MAX) return false
    byAddress.set(address, count + 1)
    timer ??= setTimeout(
      () => {
        storing = store()
      },
      lastWasFlood ? FLOOD_PAUSE_MS : COLLECT_MS,
    ).unref()
    return true
  }

  return {
    noteUnauthenticated(credentials, address, request) {
      if (!admit(address)) return
      const token = bearerOf(credentials)
      unexplained.push({
        apiId: credentials.apiId,
        keyHash: credentials.apiKey ? digest(credentials.apiKey) : undefined,
        token: token.length > TOKEN_LENGTH_MAX ? 'too long' : token,
        address,
        at: new Date(),
        request,
      })
    },
    note({ applicationId, cause, address, subject = '', request }) {
      if (admit(address)) found.push({ applicationId, cause, address, subject, at: new Date(), request })
    },
    async close() {
      clearTimeout(timer)
      await storing
      if (unexplained.length + found.length > 0) await store()
    },
  }
}

/** The endpoint that was called. */
type RefusedRequest = { method: string; path: string }

type FoundRefusal = {
  applicationId: string
  cause: RefusalCause
  address: string
  subject: string
  at: Date
  request?: RefusedRequest | undefined
}

/** Rows of one statement per application and cause; what exceeds them is counted together, without its address. */
const ROWS_EACH_MAX = 20
const MANY_ADDRESSES = '*'
const SUBJECT_LENGTH_MAX = 200
const MINUTE_MS = 60_000

/** Counts refusals per application, cause, address, subject and minute. */
export function aggregateRefusals(refusals: readonly FoundRefusal[]): RefusalRow[] {
  const rows = new Map<string, RefusalRow>()
  const rowsEach = new Map<string, number>()
  for (const { applicationId, cause, address, subject, at } of refusals) {
    const minute = new Date(Math.floor(at.getTime() / MINUTE_MS) * MINUTE_MS)
    const kind = `${applicationId} ${cause}`
    const own = { applicationId, cause, address, subject: subject.slice(0, SUBJECT_LENGTH_MAX), minute }
    const isKnown = rows.has(keyOf(own))
    const isFull = !isKnown && (rowsEach.get(kind) ?? 0) >= ROWS_EACH_MAX
    const place = isFull ? { ...own, address: MANY_ADDRESSES, subject: '' } : own
    const row = rows.get(keyOf(place))
    if (row) {
      row.count++
      if (at > row.lastAt) row.lastAt = at
      continue
    }
    rows.set(keyOf(place), { ...place, count: 1, lastAt: at })
    if (!isFull) rowsEach.set(kind, (rowsEach.get(kind) ?? 0) + 1)
  }
  return [...rows.values()]
}

function keyOf({ applicationId, cause, address, subject, minute }: Omit<RefusalRow, 'count' | 'lastAt'>): string {
  return JSON.stringify([applicationId, cause, address, subject, minute.getTime()])
}

const KEPT_MS = 30 * 24 * 3_600_000

/** Removes refusals older than thirty days. For the scheduled cleaning. Returns how many. */
export function pruneRefusals(queryable: Queryable, now: Date): Promise<number> {
  return deleteRefusalsBefore(queryable, new Date(now.getTime() - KEPT_MS))
}
