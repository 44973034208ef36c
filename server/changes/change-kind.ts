import type { z } from 'zod'
import type { ChangeFacts, CollectedSecret } from '#lib/approvals/proposed-change.ts'
import type { Role } from '#lib/people/permissions.ts'
import { err, ok, type Result } from '#lib/result.ts'
import type { CommandActor, PersonCommandActor } from '#server/audit/command-actor.ts'
import type { Queryable, TrxClient } from '#server/database/pool.ts'

/**
 * The difference that people see: the present value and the proposed one. `obstacle`: why it can be neither proposed nor confirmed now,
 * although later it may be.
 */
type Difference = { before: ChangeFacts; after: ChangeFacts; obstacle?: string | undefined }
/** Why a kind refuses: a code, or one with what is wrong in which field of the input. */
type Refusal = string | { code: string; fields: Readonly<Record<string, string>> }
type JsonValue = string | number | boolean | null | JsonValue[] | Json
type Json = { [key: string]: JsonValue }

/** A change that is confirmed: by `actor`. */
type Confirmation = { applicationId: string; changeId: string; actor: PersonCommandActor; proposedBy: string }
/**
 * A secret that is collected by the proposer (`collectorId`), in the name of the person who confirmed (`actor`): of the sandbox itself, where the proposer
 * did.
 */
type Collection = { applicationId: string; actor: CommandActor; collectorId: string; now: Date }

type KindTraits = {
  /** Its input holds secrets: it is stored encrypted while it waits, and removed when it ends. */
  holdsSecrets: boolean
  /**
   * It adds to a value that also changes in other ways, such as a balance: people agree on the step. The difference is read again while it
   * waits and under the lock of the application's money when it is confirmed. Any other kind is confirmed only while `before` is true.
   */
  isRelative: boolean
}

/** A kind of change, with its input still to be read. */
export type ChangeKind = KindTraits & {
  /** Whether its command makes a secret, which the proposer collects after the confirmation. */
  makesSecret: boolean
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
  /** Whether this person, by these roles, may propose it, beyond the permission of its kind. */
  mayPropose(personId: string, roles: readonly Role[]): boolean
  /** The application whose money it moves, if that is not the one in which people agree on it. */
  ledgerId: string | undefined
  /** Reads the difference. An error: there is nothing to change, or no such subject. */
  read(queryable: Queryable, applicationId: string): Promise<Result<Difference, Refusal>>
  /**
   * Runs the command, as a part of the transaction that records the confirmation. `secret`: what only the person who confirms sees, once.
   * Nothing for a kind whose secret the proposer collects.
   */
  apply(trx: TrxClient, confirmation: Confirmation): Promise<Result<{ secret: string | null }, Refusal>>
  /** Runs the command of a kind that makes a secret, in the name of the person who confirmed it, and returns the secret. */
  collect(trx: TrxClient, collection: Collection): Promise<Result<CollectedSecret, string>>
}

/** A kind has one of the two. */
type Commands<Payload, Value> =
  | { apply(trx: TrxClient, change: Confirmation & { payload: Payload }): Promise<Result<Value, Refusal>>; collect?: undefined }
  | { collect(trx: TrxClient, change: Collection & { payload: Payload }): Promise<Result<CollectedSecret, string>>; apply?: undefined }

/** Defines a kind of change over the command that carries it out. */
export function defineKind<Payload extends Json, Value>(
  kind: Commands<Payload, Value> &
    Partial<KindTraits> & {
      schema: z.ZodType<Payload>
      subjectOf(payload: Payload): string
      personOf?(payload: Payload): string
      mayPropose?(payload: Payload, personId: string, roles: readonly Role[]): boolean
      ledgerOf?(payload: Payload): string
      read(queryable: Queryable, applicationId: string, payload: Payload): Promise<Result<Difference, Refusal>>
      secretOf?(value: Value): string | null
    },
): ChangeKind {
  return {
    makesSecret: kind.collect !== undefined,
    holdsSecrets: kind.holdsSecrets ?? false,
    isRelative: kind.isRelative ?? false,
    bind(input) {
      const parsed = kind.schema.safeParse(input)
      if (!parsed.success) return err('invalid')
      const payload = parsed.data
      return ok({
        payload,
        subject: kind.subjectOf(payload),
        personId: kind.personOf?.(payload),
        mayPropose: (personId, roles) => kind.mayPropose?.(payload, personId, roles) ?? true,
        ledgerId: kind.ledgerOf?.(payload),
        read: (queryable, applicationId) => kind.read(queryable, applicationId, payload),
        async apply(trx, confirmation) {
          if (!kind.apply) return ok({ secret: null })
          const applied = await kind.apply(trx, { ...confirmation, payload })
          return applied.ok ? ok({ secret: kind.secretOf?.(applied.value) ?? null }) : applied
        },
        collect: async (trx, collection) => (kind.collect ? kind.collect(trx, { ...collection, payload }) : err('makes_no_secret')),
      })
    },
  }
}

/** A refusal of a kind as a command returns it. */
export type Refused = { code: 'refused'; reason: string; fields?: Readonly<Record<string, string>> }

/** The failure of a command whose kind refused. */
export function refused(refusal: Refusal): { ok: false; error: Refused } {
  return err(
    typeof refusal === 'string' ? { code: 'refused', reason: refusal } : { code: 'refused', reason: refusal.code, fields: refusal.fields },
  )
}
