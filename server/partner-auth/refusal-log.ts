import type { RefusalCause } from '#lib/refusal-cause.ts'
import type { Directory } from '#server/applications/directory.ts'
import { digest } from '#server/credentials/secrets.ts'
import type { Pool } from '#server/database/pool.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import type { Tokens } from './access-token.ts'
import { aggregateRefusals, type FoundRefusal, type RefusedRequest } from './aggregate-refusals.ts'
import { bearerOf, type Credentials } from './authenticate-caller.ts'
import { storeRefusals } from './caller-records-store.ts'
import { explainRefusals, type UnexplainedRefusal } from './explain-refusals.ts'

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
