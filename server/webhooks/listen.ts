import type { Queryable } from '#server/database/pool.ts'
import { listResultsAfter, type ResultCursor, type ResultRow, readLastResults } from './listen-store.ts'
import { signWebhook, type WebhookSecret, webhookIdOf, webhookPayload } from './send/sign-webhook.ts'

/** One webhook as a receiver would get it now. `cursor`: the place behind it. */
export type ForwardedWebhook = {
  cursor: string
  transactionId: string
  status: string
  headers: Record<string, string>
  body: string
}

/** Whose webhooks, and how they are made. */
type Listener = { applicationId: string; secrets: readonly WebhookSecret[]; copiesStatus: boolean; now: Date }

const PAGE_SIZE = 50

/**
 * Returns the next webhooks behind a cursor, and the cursor behind them. The results of each status are read in the order of their numbers and
 * merged by time, so a cursor never passes a result that was not returned. Those that no program waits for are passed.
 */
export async function listWebhooksAfter(
  queryable: Queryable,
  listener: Listener,
  after: ResultCursor,
): Promise<{ webhooks: ForwardedWebhook[]; cursor: ResultCursor }> {
  const { applicationId } = listener
  const { SUCCESS: success, FAILED: failed } = await listResultsAfter(queryable, applicationId, after, PAGE_SIZE)
  const webhooks: ForwardedWebhook[] = []
  let cursor = after
  for (let taken = 0; taken < PAGE_SIZE; taken++) {
    const next = success[0] && (!failed[0] || success[0].at <= failed[0].at) ? success.shift() : failed.shift()
    if (!next) break
    cursor = next.status === 'SUCCESS' ? { ...cursor, success: next.sequence } : { ...cursor, failed: next.sequence }
    if (next.url !== null) webhooks.push(toWebhook(next, cursor, listener))
  }
  return { webhooks, cursor }
}

function toWebhook(result: ResultRow, cursor: ResultCursor, { secrets, copiesStatus, now }: Listener): ForwardedWebhook {
  const { transactionId, status, finalAt } = result
  const body = webhookPayload({ ...result, finalAt: finalAt.toISOString() }, copiesStatus)
  const headers = { 'content-type': 'application/json', ...signWebhook(webhookIdOf(transactionId), body, secrets, now) }
  return { cursor: formatCursor(cursor), transactionId, status, headers, body }
}

/** The cursor behind everything that has happened. */
export function readCursorOfNow(queryable: Queryable, applicationId: string): Promise<ResultCursor> {
  return readLastResults(queryable, applicationId)
}

/** The text of a cursor. */
export function formatCursor({ success, failed }: ResultCursor): string {
  return `w1.${success}.${failed}`
}

/** The cursor that a text means; undefined if it means none. */
export function parseCursor(text: string): ResultCursor | undefined {
  const [, success, failed] = /^w1\.(\d{1,18})\.(\d{1,18})$/.exec(text) ?? []
  return success === undefined || failed === undefined ? undefined : { success: BigInt(success), failed: BigInt(failed) }
}
