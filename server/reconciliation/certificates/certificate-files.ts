import type { Queryable } from '#server/database/pool.ts'
import { listCertificates } from './certificate-store.ts'
import { listPublicKeys } from './key-store.ts'

/** The certificates of a wallet in order of day and version, each a line of JSON with the text that was hashed and signed. */
export async function* writeCertificates(
  queryable: Queryable,
  { applicationId, wallet }: { applicationId: string; wallet: string },
): AsyncGenerator<readonly string[], void, undefined> {
  const all = await listCertificates(queryable, { applicationId, wallet, from: '-infinity', to: 'infinity' })
  yield all
    .filter(({ state }) => state !== 'prepared')
    .map(({ state, text, hash, signature }) => JSON.stringify({ state, text, hash, signature }))
}

/** The public keys, each a line of JSON, the newest first. */
export async function* writePublicKeys(queryable: Queryable, applicationId: string): AsyncGenerator<readonly string[], void, undefined> {
  yield (await listPublicKeys(queryable, applicationId)).map((key) => JSON.stringify(key))
}
