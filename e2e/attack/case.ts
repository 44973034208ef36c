import type { Answer } from '#e2e/attack/wire/answer-reader.ts'
import type { Random } from '#lib/seeded-random.ts'
import type { Arsenal } from './arsenal.ts'

/** One thing that an attacker does on a connection. Bytes are written as they are: nothing is corrected or completed. */
export type Step =
  | { do: 'write'; bytes: Uint8Array }
  /** Writes `piece` `times` times, no faster than the peer reads; ends early when the peer has closed. */
  | { do: 'flood'; piece: Uint8Array; times: number; pauseMs: number }
  | { do: 'wait'; ms: number }
  /** Until this number of whole answers has arrived, or the connection has closed, or the limit of the case is reached. */
  | { do: 'await'; answers: number }
  /** Until any byte of an answer is here. */
  | { do: 'awaitByte' }
  /** Closes the sending half: the remaining answers can still be read. */
  | { do: 'halfClose' }
  | { do: 'reset' }
  /** Where the first answer leads elsewhere: sends the request for that target. */
  | { do: 'follow'; bytesFor(target: string): Uint8Array }

/** A status, or every status of a class. */
export type StatusRule = number | '2xx' | '3xx' | '4xx'

/** Answers that a case permits. The oracle reports everything else. */
export type Expectation = {
  /** For each answer, in order; the last entry holds for all that follow. */
  statuses: readonly (readonly StatusRule[])[]
  /** How many answers must come. More than that is a finding too: the service read a request that nobody sent. */
  answers: number
  /** The most that may come; the same as `answers` unless the client may be answered once more. */
  answersMax?: number
  /** Why the connection may end without an answer; absent: it must not. */
  silence?: string
  /** Why 503 is allowed; absent: it is not. No other 5xx ever is. */
  overload?: string
  /** From the last byte that was sent to the last answer. */
  limitMs: number
  /** The path that error bodies must repeat; undefined where the request has none that can be read. */
  path?: string | undefined
  /** Checks the answers; returns the problem in one sentence. */
  inspect?: (answers: readonly Answer[]) => string | undefined
}

/** Tables whose rows the attack recognises by what it wrote into them, its mark. */
export const MARKED_TABLES = ['batches', 'attachments', 'statement_files', 'account_checks', 'link payments'] as const

/** A row that a request makes. A mark is of one request alone; `oracle/marked-rows.ts` says where it is found. */
export type MadeRow = { table: (typeof MARKED_TABLES)[number]; mark: string }

/** One attack: its requests, their origin, and the outcomes that are allowed. */
export type AttackCase = {
  /** For the report, without secrets. */
  what: string
  steps: readonly Step[]
  /** The methods of the requests in order: an answer to HEAD has no body. */
  methods: readonly string[]
  expect: Expectation
  /** A loopback address to call from; 127.0.0.1 when absent. */
  from?: string
  /** externalIds that become transactions when, and only when, the service accepts the request. */
  starts?: readonly string[]
  /** Rows of other tables that exist when, and only when, the service accepts the request. */
  makes?: readonly MadeRow[]
}

/** Makes one kind of case. The same random numbers make the same case, except for secrets and ids that the service gave out. */
export type CaseMaker = {
  name: string
  /** Takes longer than ten seconds: left out of short runs. */
  isLong?: boolean
  make(random: Random, arsenal: Arsenal): AttackCase
}

export type Family = {
  name: string
  /** How often it is drawn, against the other families. */
  weight: number
  makers: readonly CaseMaker[]
}
