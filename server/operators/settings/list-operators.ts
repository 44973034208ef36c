import type { Pool } from '#server/database/pool.ts'
import { withoutSecrets } from './operator-settings.ts'
import { readAllSettings } from './operator-settings-store.ts'
import { findProtocol } from './protocols.ts'

type OperatorListing = { operator: string; protocol: string; version: string; settings: string; secrets: string }

/** The settings in the database, without secrets: of those, only the names of the ones that are set. */
export async function listOperators(pool: Pool): Promise<OperatorListing[]> {
  const unreadable: OperatorListing[] = []
  const stored = await readAllSettings(pool, (error) =>
    unreadable.push({
      operator: '?',
      protocol: '?',
      version: '',
      settings: error instanceof Error ? error.message : String(error),
      secrets: '',
    }),
  )
  const listed = stored.map(({ operator, protocol, document, version }) => {
    const known = findProtocol(protocol)
    // Without its protocol nothing is known about which fields are secret.
    const { shown, secretsSet } = known ? withoutSecrets(document, known.secretFields) : { shown: {}, secretsSet: [] }
    return { operator, protocol, version: String(version), settings: JSON.stringify(shown), secrets: secretsSet.join(' ') }
  })
  return [...listed, ...unreadable]
}
