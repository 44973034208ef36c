import { createPrivateKey, createPublicKey, generateKeyPairSync, randomUUID, sign, verify } from 'node:crypto'
import { err, type Result } from '#lib/result.ts'
import { runsInstallation } from '#server/applications/terms-store.ts'
import type { CommandActor } from '#server/audit/command-actor.ts'
import { done, runRecorded } from '#server/audit/run-command.ts'
import type { Pool, TrxClient } from '#server/database/pool.ts'
import { keyringOfProcess } from '#server/secrets-at-rest/keyring.ts'
import { certificateKeyPlace } from '#server/secrets-at-rest/sealed-columns.ts'
import { insertKey, readCurrentKey, retireKey } from './key-store.ts'

export type SigningKey = { keyId: string; sign(text: string): Buffer }

/** The key that signs certificates now. The first one is made when the first day is signed. */
export async function signingKey(trx: TrxClient, applicationId: string): Promise<SigningKey> {
  const current = (await readCurrentKey(trx, applicationId)) ?? (await makeKey(trx, applicationId))
  const plain = keyringOfProcess().open(certificateKeyPlace(applicationId, current.keyId), current.sealed)
  const key = createPrivateKey({ key: Buffer.from(plain, 'base64'), format: 'der', type: 'pkcs8' })
  return { keyId: current.keyId, sign: (text) => sign(null, Buffer.from(text), key) }
}

async function makeKey(trx: TrxClient, applicationId: string): Promise<{ keyId: string; sealed: string }> {
  const keyId = randomUUID()
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const plain = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')
  const sealed = keyringOfProcess().seal(certificateKeyPlace(applicationId, keyId), plain)
  const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url').toString('hex')
  await insertKey(trx, { applicationId, keyId, publicKey: raw, sealed })
  const current = await readCurrentKey(trx, applicationId)
  if (!current) throw new Error(`The installation ${applicationId} has no key for certificates`)
  return current
}

/** DER of an Ed25519 public key before its 32 bytes (RFC 8410). */
const PREFIX = Buffer.from('302a300506032b6570032100', 'hex')

/** Whether a signature is that of a text. `publicKey`: hexadecimal; `signature`: base64. */
export function isSigned(text: string, publicKey: string, signature: string): boolean {
  const key = createPublicKey({ key: Buffer.concat([PREFIX, Buffer.from(publicKey, 'hex')]), format: 'der', type: 'spki' })
  return verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64'))
}

/**
 * Retires the key that signs certificates: its private half is removed, and the next day is signed with a new one. What it signed can still be
 * verified. `no_key`: nothing was signed since the last rotation.
 */
export function rotateCertificateKey(
  pool: Pool,
  { applicationId, actor }: { applicationId: string; actor: CommandActor },
): Promise<Result<{ keyId: string }, 'not_the_installation' | 'no_key'>> {
  return runRecorded<{ keyId: string }, 'not_the_installation' | 'no_key'>(pool, { applicationId, actor }, async (trx) => {
    if (!(await runsInstallation(trx, applicationId))) return err('not_the_installation')
    const keyId = await retireKey(trx, applicationId)
    return keyId === undefined ? err('no_key') : done({ action: 'certificate_key.rotated', subject: keyId }, { keyId })
  })
}
