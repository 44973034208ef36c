import { ok } from '#lib/result.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import type { Keyring, SecretPlace } from './keyring.ts'
import {
  forgetKeysBut,
  lockSecrets,
  lockSecretsOf,
  readKeyIdsInUse,
  readRegisteredKeys,
  registerKey,
  replaceSecrets,
} from './seal-store.ts'
import { rowBeforeAll, SEALED_COLUMNS, type SealedColumn } from './sealed-columns.ts'

/** Rows per transaction: few enough that the locks delay no other statement noticeably. */
const BATCH_SIZE = 200
type RotationResult = {
  resealedCount: number
  /** Keys that nothing in this database needs. */
  droppedKeyIds: string[]
  /** Secrets that could not be decrypted and were left as they are: altered, or copied from another row. */
  unreadable: string[]
}

/**
 * Encrypts every secret under the current key of the ring, some rows at a time, while other processes work: both keys
 * open secrets meanwhile. Interrupted, it continues where it was when it is started again. At the end the database forgets
 * the keys that nothing is encrypted with.
 */
export async function rotateSecretsKey(pool: Pool, keyring: Keyring, batchSize = BATCH_SIZE): Promise<RotationResult> {
  const result: RotationResult = { resealedCount: 0, droppedKeyIds: [], unreadable: [] }
  for (const column of SEALED_COLUMNS) {
    const { resealedCount, unreadable } = await resealColumn(pool, keyring, column, batchSize)
    result.resealedCount += resealedCount
    result.unreadable.push(...unreadable)
  }
  await withTransaction<void, never>(pool, async (trx) => {
    await lockSecrets(trx)
    // A process whose current key is still another one may have written meanwhile: its key stays registered.
    result.droppedKeyIds = await forgetKeysBut(trx, [keyring.currentKeyId, ...(await readKeyIdsInUse(trx))])
    return ok(undefined)
  })
  return result
}

type Resealed = Pick<RotationResult, 'resealedCount' | 'unreadable'>

async function resealColumn(pool: Pool, keyring: Keyring, column: SealedColumn, batchSize: number): Promise<Resealed> {
  const total: Resealed = { resealedCount: 0, unreadable: [] }
  for (let afterRow: string | undefined = rowBeforeAll(column); afterRow !== undefined; ) {
    const batch: ResealedBatch = await resealBatch(pool, keyring, column, { afterRow, limit: batchSize })
    total.resealedCount += batch.resealedCount
    total.unreadable.push(...batch.unreadable)
    afterRow = batch.lastRow
  }
  return total
}

type ResealedBatch = Resealed & { lastRow: string | undefined }

async function resealBatch(
  pool: Pool,
  keyring: Keyring,
  column: SealedColumn,
  range: { afterRow: string; limit: number },
): Promise<ResealedBatch> {
  let batch: ResealedBatch = { resealedCount: 0, unreadable: [], lastRow: undefined }
  await withTransaction<void, never>(pool, async (trx) => {
    const secrets = await lockSecretsOf(trx, column, { keyId: keyring.currentKeyId, ...range })
    const unreadable: string[] = []
    const resealed = secrets.flatMap(({ row, stored }) => {
      const place = { table: column.table, row, field: column.field }
      try {
        return { row, stored: keyring.seal(place, keyring.open(place, stored)) }
      } catch (error) {
        // One altered row must not keep all others under the old key.
        unreadable.push(error instanceof Error ? error.message : String(error))
        return []
      }
    })
    if (resealed.length > 0) await replaceSecrets(trx, column, resealed)
    batch = { resealedCount: resealed.length, unreadable, lastRow: secrets.at(-1)?.row }
    return ok(undefined)
  })
  return batch
}

const VERIFICATION = 'countersign'

/**
 * Makes sure that this process can read every secret in the database, and registers its current key. Throws an Error
 * whose message is one sentence that says what to do when a key is missing: a process that went on without it would sign
 * webhooks with nothing and refuse everybody who has a second factor.
 */
export async function checkSecretsKeys(pool: Pool, keyring: Keyring): Promise<void> {
  await withTransaction<void, never>(pool, async (trx) => {
    await lockSecrets(trx)
    const registered = await readRegisteredKeys(trx)
    const needed = new Set([...registered.map((key) => key.keyId), ...(await readKeyIdsInUse(trx))])
    const missing = [...needed].filter((keyId) => !keyring.keyIds.includes(keyId))
    if (missing.length > 0) throw new Error(explainMissing(missing, needed.size - missing.length))
    for (const { keyId, verification } of registered) {
      if (keyring.open(verificationPlace(keyId), verification) !== VERIFICATION) throw new Error(explainMissing([keyId], 0))
    }
    const keyId = keyring.currentKeyId
    await registerKey(trx, { keyId, verification: keyring.seal(verificationPlace(keyId), VERIFICATION) })
    return ok(undefined)
  })
}

function explainMissing(keyIds: readonly string[], knownCount: number): string {
  const names = keyIds.join(' and ')
  if (knownCount === 0) {
    return `SECRETS_KEY is not the key that the secrets in this database are encrypted with (${names}): set that key, or put it in SECRETS_KEY_PREVIOUS while you change to a new one.`
  }
  return `Some secrets in this database are encrypted with the key ${names}: put it in SECRETS_KEY_PREVIOUS until npm run admin -- rotate-secrets-key has finished.`
}

function verificationPlace(keyId: string): SecretPlace {
  return { table: 'secrets_keys', row: keyId, field: 'verification' }
}
