import { z } from 'zod'
import { findWallet } from '#lib/reconciliation/wallets.ts'
import { text } from '#lib/schemas/proposal.ts'
import { isUtcDay } from '#lib/time/time.ts'
import { readReopening, reopenDay } from '#server/reconciliation/certificates/reopen-day.ts'
import { type ChangeKind, defineKind } from '../change-kind.ts'

const schema = z.strictObject({
  wallet: z.string().refine((id) => findWallet(id) !== undefined),
  day: z.string().refine(isUtcDay),
  note: text(500).min(1),
})

/** A signed day is opened again: only in the application that runs the installation. */
const reopen: ChangeKind = defineKind({
  schema,
  subjectOf: ({ wallet, day }) => `${wallet} ${day}`,
  async read(queryable, applicationId, { wallet, day, note }) {
    const present = await readReopening(queryable, { applicationId, wallet, day })
    if (!present.ok) return present
    const { version, laterDays } = present.value
    const about = { operator: findWallet(wallet)?.operator ?? null, wallet, day }
    return { ok: true, value: { before: { ...about, version, laterDays: 0 }, after: { ...about, version: version + 1, laterDays, note } } }
  },
  apply: (trx, { applicationId, payload: { wallet, day, note }, changeId, actor }) =>
    reopenDay(trx, { applicationId, wallet, day, reason: note, changeId, actor }),
})

export const DAY_KINDS = { 'day.reopen': reopen }
