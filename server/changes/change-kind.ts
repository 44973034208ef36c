import type { z } from 'zod'
import type { Permission } from '#lib/permissions.ts'
import type { ChangeFacts } from '#lib/proposed-change.ts'
import { err, ok, type Result } from '#lib/result.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import type { Queryable, TrxClient } from '#server/database/pool.ts'

/** What the people see: what is now, and what would be. */
type Difference = { before: ChangeFacts; after: ChangeFacts }
/** Who confirms a change, and who proposed it. */
type Deciders = { actor: PersonCommandActor; proposedBy: string }
type Json = { [key: string]: string | number | boolean | null | string[] }

/** A kind of change, with its input still to be read. */
export type ChangeKind = {
  /** What both people need. */
  permission: Permission
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
  /** Refuses what the proposer may not propose, although the permission allows the kind. */
  mayPropose(actor: PersonCommandActor, difference: Difference): boolean
  /** Reads the difference. An error: there is nothing to change, or no such subject. */
  read(queryable: Queryable, applicationId: string): Promise<Result<Difference, string>>
  /** Runs the command, as a part of the transaction that records the confirmation. `secret`: what only the person who confirms sees, once. */
  apply(trx: TrxClient, applicationId: string, by: Deciders): Promise<Result<{ secret: string | null }, string>>
}

/** Defines a kind of change over the command that carries it out. */
export function defineKind<Payload extends Json, Value>(kind: {
  permission: Permission
  schema: z.ZodType<Payload>
  subjectOf(payload: Payload): string
  personOf?(payload: Payload): string
  mayPropose?(actor: PersonCommandActor, difference: Difference): boolean
  read(queryable: Queryable, applicationId: string, payload: Payload): Promise<Result<Difference, string>>
  apply(trx: TrxClient, change: { applicationId: string; payload: Payload } & Deciders): Promise<Result<Value, string>>
  secretOf?(value: Value): string | null
}): ChangeKind {
  return {
    permission: kind.permission,
    bind(input) {
      const parsed = kind.schema.safeParse(input)
      if (!parsed.success) return err('invalid')
      const payload = parsed.data
      return ok({
        payload,
        subject: kind.subjectOf(payload),
        personId: kind.personOf?.(payload),
        mayPropose: (actor, difference) => kind.mayPropose?.(actor, difference) ?? true,
        read: (queryable, applicationId) => kind.read(queryable, applicationId, payload),
        async apply(trx, applicationId, by) {
          const applied = await kind.apply(trx, { applicationId, payload, ...by })
          return applied.ok ? ok({ secret: kind.secretOf?.(applied.value) ?? null }) : applied
        },
      })
    },
  }
}
