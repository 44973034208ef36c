import { err, ok } from '#lib/result.ts'
import { cursorQuerySchema } from '#lib/schemas/queries.ts'
import { findByExternalId, listBefore } from '#server/reports/partner-lists/list-for-partner-store.ts'
import type { Transaction } from '#server/transactions/transaction-store.ts'
import type { PartnerEndpoint } from '../api/endpoint.ts'
import { refuse } from '../api/errors.ts'
import { toListed } from '../api/list-transactions.ts'
import { readQuery } from '../api/read-query.ts'

export const TRANSACTIONS_PATH = '/api/v2/transactions'

const LIMIT_DEFAULT = 100

export const BAD_CURSOR = refuse(400, 'cursor_invalid', 'cursor must be the nextCursor of an earlier response.')

/**
 * GET /api/v2/transactions: the transactions of the caller, newest first. The next page begins behind the last transaction of this one, so new
 * transactions move nothing from one page to the next.
 */
export const transactions: PartnerEndpoint = {
  kind: 'partner',
  isLimited: true,
  name: 'transactions',
  scope: 'payments:read',
  method: 'GET',
  path: TRANSACTIONS_PATH,
  async answer({ runtime, request, caller }) {
    const query = readQuery(request, cursorQuerySchema)
    if (!query.ok) return query
    const { limit = LIMIT_DEFAULT, cursor, externalId } = query.value
    const { applicationId } = caller.application
    if (externalId !== undefined) {
      const found = await findByExternalId(runtime.pool, applicationId, externalId)
      return ok(JSON.stringify({ transactions: await toListed(runtime.pool, applicationId, found ? [found] : []), nextCursor: null }))
    }
    const before = cursor === undefined ? null : sequenceOf(cursor)
    if (before === undefined) return err(BAD_CURSOR)
    const rows = await listBefore(runtime.reportPool, applicationId, before, limit + 1)
    const page = rows.slice(0, limit)
    const last = page.at(-1)
    const listed = await toListed(runtime.reportPool, applicationId, page)
    return ok(JSON.stringify({ transactions: listed, nextCursor: last && rows.length > limit ? cursorOf(last) : null }))
  },
}

/** Sequences have no gaps, so they would tell a program more than it should build on: they are encoded. */
function cursorOf({ sequence }: Transaction): string {
  return Buffer.from(`v1.${sequence}`).toString('base64url')
}

function sequenceOf(cursor: string): bigint | undefined {
  const [, digits] = /^v1\.(\d{1,18})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? []
  return digits === undefined ? undefined : BigInt(digits)
}
