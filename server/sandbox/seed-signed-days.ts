import { ok, type Result } from '#lib/result.ts'
import { addDays, utcDayOf } from '#lib/time/time.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import type { TrxClient } from '#server/database/pool.ts'
import { Books } from '#server/operators/simulator/books.ts'
import { printStatement } from '#server/operators/simulator/statements/send-statement.ts'
import { readCertificate } from '#server/reconciliation/certificates/certificate-store.ts'
import { prepareDay, signDay } from '#server/reconciliation/certificates/sign-day.ts'
import { importStatement } from '#server/reconciliation/statements/decide-statement.ts'
import { workOnce } from '#server/reconciliation/statements/statement-worker.ts'
import { beginUpload, finishUpload, storePiece } from '#server/reconciliation/statements/upload-statement.ts'
import { poolOfOne } from './history/pool-of-one.ts'

/** An account whose statements agree with our books: nothing of statement-cases.ts is in it. */
const WALLET = 'OMCM'

type Seeding = { applicationId: string; financeId: string; administratorId: string; simulatorFolder: string; now: Date }

/** Two days of a wallet as people leave them: the first is signed, the second is prepared and waits for another person. */
export async function seedSignedDays(
  trx: TrxClient,
  { applicationId, financeId, administratorId, simulatorFolder, now }: Seeding,
): Promise<Result<null, unknown>> {
  const deps = { pool: poolOfOne(trx), clock: { now: () => now }, rests: new Map() }
  const finance: PersonCommandActor = { kind: 'person', id: financeId, applicationId, roles: ['finance'] }
  const administrator: PersonCommandActor = { kind: 'person', id: administratorId, applicationId, roles: ['administrator'] }
  const books = new Books(simulatorFolder)
  try {
    const printed = [2, 3, 4, 5, 6, 7, 8].map((daysAgo) => {
      const day = addDays(utcDayOf(now), -daysAgo)
      return { day, ...printStatement(books, { operator: WALLET, account: undefined, day, variant: undefined }) }
    })
    // The newest two days in a row on which money moved: a statement without lines is refused.
    const second = printed.findIndex(({ lineCount }, place) => lineCount > 0 && (printed[place + 1]?.lineCount ?? 0) > 0)
    const days = second < 0 ? [] : printed.slice(second, second + 2).toReversed()
    for (const [place, { day, name, file }] of days.entries()) {
      const upload = { applicationId, actor: finance, wallet: WALLET, fileName: name, bytes: file.length, modifiedMs: now.getTime() }
      const begun = await beginUpload(deps.pool, upload)
      if (!begun.ok) return begun
      const one = { applicationId, actor: finance, fileId: begun.value.fileId }
      const stored = await storePiece(deps.pool, { ...one, number: 0, bytes: file })
      if (!stored.ok) return stored
      const finished = await finishUpload(deps.pool, one)
      if (!finished.ok) return finished
      while (await workOnce(deps));
      const imported = await importStatement(deps.pool, one)
      if (!imported.ok) return imported
      while (await workOnce(deps));
      const about = { applicationId, wallet: WALLET, day }
      const prepared = await prepareDay(deps, { ...about, actor: finance })
      if (!prepared.ok) return prepared
      if (place > 0) continue
      const certificate = await readCertificate(trx, about)
      const signed = await signDay(deps, { ...about, actor: administrator, hash: certificate?.hash ?? '' })
      if (!signed.ok) return signed
    }
    return ok(null)
  } finally {
    books.close()
  }
}
