import { ok } from '#lib/result.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import type { Keyring, SecretPlace } from './keyring.ts'
import { lockSecrets, readKeyIdsInUse, readRegisteredKeys, registerKey } from './seal-store.ts'

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
