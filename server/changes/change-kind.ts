import type { z } from 'zod'
import type { ChangeFacts, CollectedSecret } from '#lib/approvals/proposed-change.ts'
import { err, ok, type Result } from '#lib/result.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import type { Queryable, TrxClient } from '#server/database/pool.ts'

/** The difference that people see: the present value and the proposed one. */
type Difference = { before: ChangeFacts; after: ChangeFacts }
/** The person who confirms a change, and the one who proposed it. */
type Deciders = { actor: PersonCommandActor; proposedBy: string }
type JsonValue = string | number | boolean | null | JsonValue[] | Json
type Json = { [key: string]: JsonValue }

/** A kind of change, with its input still to be read. */
export type ChangeKind = {
  /** Whether its command makes a secret, which the proposer collects after the confirmation. */
  makesSecret: boolean
  /** Its input holds secrets: it is stored encrypted while it waits, and removed when it ends. */
  holdsSecrets: boolean
  /** Reads an input or a stored payload. */
  bind(input: unknown): Result<BoundChange, 'invalid'>
}

/** A kind of change with an input that was read. */
export type BoundChange = {
  payload: Json
  /** One proposal at a time is open for each subject of a kind. */
  subject: string
  /** The person whom it is about; that person takes no part in it. */
  personId: string | undefined
  /** Reads the difference. An error: there is nothing to change, or no such subject. */
  read(queryable: Queryable, applicationId: string): Promise<Result<Difference, string>>
  /**
   * Runs the command, as a part of the transaction that records the confirmation. `secret`: what only the person who confirms sees, once.
   * Nothing for a kind whose secret the proposer collects.
   */
  apply(trx: TrxClient, applicationId: string, by: Deciders): Promise<Result<{ secret: string | null }, string>>
  /** Runs the command of a kind that makes a secret, in the name of the person who confirmed it, and returns the secret. */
  collect(trx: TrxClient, collection: Collection): Promise<Result<CollectedSecret, string>>
}

type Collection = { applicationId: string; actor: PersonCommandActor; collectorId: string; now: Date }
type Applied<Payload> = { applicationId: string; payload: Payload } & Deciders
/** A kind has one of the two. */
type Commands<Payload, Value> =
  | { apply(trx: TrxClient, change: Applied<Payload>): Promise<Result<Value, string>>; collect?: undefined }
  | { collect(trx: TrxClient, change: Collection & { payload: Payload }): Promise<Result<CollectedSecret, string>>; apply?: undefined }

/** Defines a kind of change over the command that carries it out. */
export function defineKind<Payload extends Json, Value>(
  kind: Commands<Payload, Value> & {
    schema: z.ZodType<Payload>
    holdsSecrets?: boolean
    subjectOf(payload: Payload): string
    personOf?(payload: Payload): string
    read(queryable: Queryable, applicationId: string, payload: Payload): Promise<Result<Difference, string>>
    secretOf?(value: Value): string | null
  },
): ChangeKind {
  return {
    makesSecret: kind.collect !== undefined,
    holdsSecrets: kind.holdsSecrets ?? false,
    bind(input) {
      const parsed = kind.schema.safeParse(input)
      if (!parsed.success) return err('invalid')
      const payload = parsed.data
      return ok({
        payload,
        subject: kind.subjectOf(payload),
        personId: kind.personOf?.(payload),
        read: (queryable, applicationId) => kind.read(queryable, applicationId, payload),
        async apply(trx, applicationId, by) {
          if (!kind.apply) return ok({ secret: null })
          const applied = await kind.apply(trx, { applicationId, payload, ...by })
          return applied.ok ? ok({ secret: kind.secretOf?.(applied.value) ?? null }) : applied
        },
        collect: async (trx, collection) => (kind.collect ? kind.collect(trx, { ...collection, payload }) : err('makes_no_secret')),
      })
    },
  }
}
