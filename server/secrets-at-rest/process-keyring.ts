import { requireProcessWide, setProcessWide } from '#server/process-wide.ts'
import type { Keyring } from './keyring.ts'

declare module '#server/process-wide.ts' {
  interface ProcessWideValues {
    keyring: Keyring
  }
}

/** Sets the keys that stores of this process encrypt and decrypt with. Called once, before anything reads a secret. */
export function publishKeyring(keyring: Keyring): void {
  setProcessWide('keyring', keyring)
}

/** Returns the keys of this process. Throws when none were set. */
export function keyringOfProcess(): Keyring {
  return requireProcessWide('keyring', 'SECRETS_KEY is missing: set the key that encrypts the secrets in this database.')
}
