import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { rotateCertificateKey } from '#server/reconciliation/certificates/signing-key.ts'
import { keyringOfProcess } from '#server/secrets-at-rest/keyring.ts'
import { rotateSecretsKey } from '#server/secrets-at-rest/reseal-secrets.ts'
import { AdminError, type Command, required } from './command.ts'
import { applicationOf } from './read-options.ts'

/** The keys of the installation: the one that encrypts the secrets in the database, and the one that signs certificates. */
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
  {
    name: 'rotate-certificate-key',
    summary: 'Retire the key that signs certificates of days; the next day is signed with a new one, the old public key stays',
    options: { application: required('ID|NAME') },
    usesSecrets: true,
    async run(pool, options) {
      const { applicationId } = await applicationOf(pool, options)
      const rotated = await rotateCertificateKey(pool, { applicationId, actor: SYSTEM_ACTOR })
      if (!rotated.ok) throw new AdminError(ROTATION_FAILURES[rotated.error])
      return { facts: { retired: rotated.value.keyId, next: 'Nothing: the next day that is signed gets a new key.' } }
    },
  },
]

const ROTATION_FAILURES = {
  not_the_installation: 'Only the application that runs the installation signs certificates.',
  no_key: 'No certificate has been signed since the last rotation, so there is no key to retire.',
} as const

function nextStep(hasPrevious: boolean, hasUnreadable: boolean): string {
  if (hasUnreadable) return 'Keep SECRETS_KEY_PREVIOUS and replace what is unreadable: rotate the webhook secret, reset the second factor.'
  if (!hasPrevious) return 'Nothing: SECRETS_KEY_PREVIOUS is not set.'
  return 'Restart every process without SECRETS_KEY_PREVIOUS. Keep the old key as long as you keep backups from before.'
}
