import type { Keyring } from './keyring.ts'

const KEY = Symbol.for('countersign.keyring')
type Holder = { [KEY]?: Keyring }

/** Sets the keys that stores of this process encrypt and decrypt with. Called once, before anything reads a secret. */
export function publishKeyring(keyring: Keyring): void {
  Object.assign(globalThis, { [KEY]: keyring })
}

/**
 * The keys of this process. They are held on `globalThis` because the pages have their own copies of these modules.
 * Throws when no keys were set.
 */
export function keyringOfProcess(): Keyring {
  const keyring = (globalThis as Holder)[KEY]
  if (!keyring) throw new Error('SECRETS_KEY is missing: set the key that encrypts the secrets in this database.')
  return keyring
}
