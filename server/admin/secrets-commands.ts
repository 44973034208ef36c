import { keyringOfProcess } from '#server/secrets-at-rest/keyring.ts'
import { rotateSecretsKey } from '#server/secrets-at-rest/reseal-secrets.ts'
import type { Command } from './command.ts'

/** The key that encrypts the secrets in the database. */
export const SECRETS_COMMANDS: readonly Command[] = [
  {
    name: 'rotate-secrets-key',
    summary: 'Encrypt all secrets in the database with SECRETS_KEY, so that SECRETS_KEY_PREVIOUS can be dropped',
    options: {},
    usesSecrets: true,
    async run(pool) {
      const { currentKeyId, keyIds } = keyringOfProcess()
      const { resealedCount, droppedKeyIds, unreadable } = await rotateSecretsKey(pool, keyringOfProcess())
      const others = keyIds.filter((keyId) => keyId !== currentKeyId)
      return {
        facts: {
          key: currentKeyId,
          encryptedAgain: String(resealedCount),
          keysNotNeededAnyMore: droppedKeyIds.join(' ') || 'none',
          ...(unreadable.length > 0 && { unreadable: unreadable.join(' ') }),
          next: nextStep(others.length > 0, unreadable.length > 0),
        },
      }
    },
  },
]

function nextStep(hasPrevious: boolean, hasUnreadable: boolean): string {
  if (hasUnreadable) return 'Keep SECRETS_KEY_PREVIOUS and replace what is unreadable: rotate the webhook secret, reset the second factor.'
  if (!hasPrevious) return 'Nothing: SECRETS_KEY_PREVIOUS is not set.'
  return 'Restart every process without SECRETS_KEY_PREVIOUS. Keep the old key as long as you keep backups from before.'
}
