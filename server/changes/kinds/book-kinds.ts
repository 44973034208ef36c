import { z } from 'zod'
import { PERSON_POSTINGS, type PersonPosting } from '#lib/reconciliation/days.ts'
import { findWallet } from '#lib/reconciliation/wallets.ts'
import { ok } from '#lib/result.ts'
import { text } from '#lib/schemas/proposal.ts'
import { postToWallet, readPosting } from '#server/reconciliation/wallet-book/post-to-wallet.ts'
import { type ChangeKind, defineKind } from '../change-kind.ts'

const schema = z.strictObject({ lineId: z.string().regex(/^\d{1,18}$/), evidence: text(200).min(1), note: text(500) })

/** A posting about a line of a statement: only in the application that runs the installation. */
const bookKind = (kind: PersonPosting): ChangeKind =>
  defineKind({
    schema,
    subjectOf: ({ lineId }) => `line ${lineId}`,
    async read(queryable, applicationId, { lineId, evidence, note }) {
      const read = await readPosting(queryable, { applicationId, kind, lineId: BigInt(lineId) })
      if (!read.ok) return read
      const { wallet, day, originDay, operatorId } = read.value.line
      const about = { operator: findWallet(wallet)?.operator ?? null, wallet, line: lineId }
      const amountMinor = String(read.value.amountMinor)
      const days = { day, ...(originDay !== null && { originDay }) }
      return ok({ before: about, after: { ...about, amountMinor, ...days, reference: operatorId, evidence, note } })
    },
    apply: (trx, { applicationId, payload: { lineId, evidence }, changeId, actor }) =>
      postToWallet(trx, { applicationId, kind, lineId: BigInt(lineId), evidence, changeId, actor }),
  })

type BookKindName = `wallet.${PersonPosting}`
export const BOOK_KINDS = Object.fromEntries(PERSON_POSTINGS.map((kind) => [`wallet.${kind}`, bookKind(kind)])) as Record<
  BookKindName,
  ChangeKind
>
