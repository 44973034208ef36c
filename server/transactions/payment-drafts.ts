import type { PaymentContent, PaymentDraft } from '#lib/payment-preview.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { paymentContentSchema } from '#lib/schemas/payment.ts'
import type { Queryable } from '#server/database/pool.ts'
import { type DraftOwner, type DraftRow, removeDraft, selectDraft, selectDrafts, upsertDraft } from './payment-draft-store.ts'

/** More than a person has open at once, and few enough for one list. */
export const DRAFTS_MAX = 20

/** The drafts of a person in an application, the newest first. */
export async function listDrafts(queryable: Queryable, owner: DraftOwner): Promise<PaymentDraft[]> {
  return (await selectDrafts(queryable, owner)).flatMap((row) => toDraft(row) ?? [])
}

/** One draft of a person; undefined if there is none, or if it was saved by a version that knew other fields. */
export async function findDraft(queryable: Queryable, owner: DraftOwner, externalId: string): Promise<PaymentDraft | undefined> {
  const row = await selectDraft(queryable, owner, externalId)
  return row && toDraft(row)
}

/**
 * Stores what a person has typed so far, in place of what was stored under this identity. Not in the audit record: a draft moves nothing,
 * only its owner sees it, and what it becomes is recorded. Two windows at once may store one more than DRAFTS_MAX.
 */
export async function saveDraft(
  queryable: Queryable,
  draft: DraftOwner & { externalId: string; originId: string | null; content: PaymentContent },
): Promise<Result<null, 'too_many'>> {
  return (await upsertDraft(queryable, draft, DRAFTS_MAX)) ? ok(null) : err('too_many')
}

/** Removes one of a person's own drafts. */
export async function deleteDraft(queryable: Queryable, draft: DraftOwner & { externalId: string }): Promise<Result<null, 'not_found'>> {
  return (await removeDraft(queryable, draft, draft.externalId)) ? ok(null) : err('not_found')
}

function toDraft({ externalId, originId, content, savedAt }: DraftRow): PaymentDraft | undefined {
  const read = paymentContentSchema.safeParse(content)
  return read.success ? { externalId, originId, content: read.data, savedAt: savedAt.toISOString() } : undefined
}
