'use server'

import { z } from 'zod'
import type { ProofAnswer } from '#lib/people/passkeys.ts'
import type { DayObstacle } from '#lib/reconciliation/certificates.ts'
import { type ColumnMapping, columnMappingSchema, type MappedPreview } from '#lib/reconciliation/statement-columns.ts'
import { WALLET_IDS } from '#lib/reconciliation/wallets.ts'
import type { ActionResult } from '#lib/result.ts'
import { isUtcDay } from '#lib/time/time.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { runAction } from '#server/back-office/run-action.ts'
import { bindProof, freshProofSchema } from '#server/back-office/session/fresh-proof.ts'
import { prepareDay as prepare, signDay as sign } from '#server/reconciliation/certificates/sign-day.ts'
import { matchByHand, undoMatch as undo } from '#server/reconciliation/matching/match-by-hand.ts'
import { importStatement as startImport, withdrawStatement as withdraw } from '#server/reconciliation/statements/decide-statement.ts'
import { previewColumns as preview } from '#server/reconciliation/statements/map-columns.ts'

const oneFile = z.strictObject({ fileId: z.uuid() })
const lineId = z.string().regex(/^\d{1,18}$/)
const note = z.string().trim().min(1).max(500)
const oneDay = z.strictObject({ wallet: z.enum(WALLET_IDS), day: z.string().refine(isUtcDay) })
const signature = oneDay.extend({ hash: z.string().regex(/^[0-9a-f]{64}$/), proof: freshProofSchema })
const match = z.strictObject({ lineId, transactionId: z.string().trim().pipe(z.uuid()), note })

/** Imports a statement that was checked. */
export async function importStatement(
  application: string,
  input: { fileId: string },
): Promise<ActionResult<null, 'not_permitted' | 'not_found' | 'not_ready'>> {
  return runAction({ schema: oneFile, permission: 'reconciliation:work', application, input }, async (actor, { fileId }) => {
    const result = await startImport(backOfficeRuntime().pool, { applicationId: actor.applicationId, fileId, actor })
    return result.ok ? { ok: true, value: null } : result
  })
}

/** Takes back a statement that was not imported. */
export async function withdrawStatement(
  application: string,
  input: { fileId: string },
): Promise<ActionResult<null, 'not_permitted' | 'not_found' | 'not_ready'>> {
  return runAction({ schema: oneFile, permission: 'reconciliation:work', application, input }, async (actor, { fileId }) => {
    const result = await withdraw(backOfficeRuntime().pool, { applicationId: actor.applicationId, fileId, actor })
    return result.ok ? { ok: true, value: null } : result
  })
}

const columnsOfFile = z.strictObject({ fileId: z.uuid(), headerAt: z.int().min(0).max(100), mapping: columnMappingSchema })

/** Reads the first lines of a statement with columns that are not yet proposed. */
export async function previewColumns(
  application: string,
  input: { fileId: string; headerAt: number; mapping: ColumnMapping },
): Promise<ActionResult<MappedPreview, 'not_permitted' | 'not_found'>> {
  return runAction({ schema: columnsOfFile, permission: 'wallet:change', application, input }, async (actor, given) => {
    const { pool, clock } = backOfficeRuntime()
    return preview(pool, { applicationId: actor.applicationId, ...given, now: clock.now() })
  })
}

/** Says which transaction a line belongs to. */
export async function matchLine(
  application: string,
  input: { lineId: string; transactionId: string; note: string },
): Promise<ActionResult<null, 'not_permitted' | 'not_found' | 'no_transaction' | 'taken'>> {
  return runAction({ schema: match, permission: 'reconciliation:work', application, input }, async (actor, given) => {
    const by = { applicationId: actor.applicationId, actor, ...given, lineId: BigInt(given.lineId) }
    const result = await matchByHand(backOfficeRuntime().pool, by)
    return result.ok ? { ok: true, value: null } : result
  })
}

/** Takes a match back; it stays in the history. */
export async function undoMatch(
  application: string,
  input: { lineId: string; note: string },
): Promise<ActionResult<null, 'not_permitted' | 'not_found' | 'day_signed'>> {
  return runAction(
    { schema: z.strictObject({ lineId, note }), permission: 'reconciliation:work', application, input },
    async (actor, given) => {
      const by = { applicationId: actor.applicationId, actor, note: given.note, lineId: BigInt(given.lineId) }
      const result = await undo(backOfficeRuntime().pool, by)
      return result.ok ? { ok: true, value: null } : result
    },
  )
}

/** Prepares a day of a wallet for the signature of another person. */
export async function prepareDay(
  application: string,
  input: { wallet: string; day: string },
): Promise<ActionResult<null, 'not_permitted' | 'not_found' | DayObstacle>> {
  return runAction({ schema: oneDay, permission: 'day:sign', application, input }, async (actor, given) => {
    const result = await prepare(backOfficeRuntime(), { applicationId: actor.applicationId, actor, ...given })
    return result.ok ? { ok: true, value: null } : result
  })
}

/** Signs a day that another person prepared. `hash`: of the figures that the person saw. */
export async function signDay(
  application: string,
  input: { wallet: string; day: string; hash: string; proof?: ProofAnswer },
): Promise<ActionResult<null, 'not_permitted' | 'not_found' | DayObstacle | 'not_prepared' | 'own_preparation' | 'maker' | 'changed'>> {
  return runAction({ schema: signature, permission: 'day:sign', application, input }, async (actor, given) => {
    const proof = await bindProof(given.proof)
    const result = await sign(backOfficeRuntime(), { applicationId: actor.applicationId, actor, ...given, proof })
    return result.ok ? { ok: true, value: null } : result
  })
}
