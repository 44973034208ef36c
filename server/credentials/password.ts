import { hash, verify } from '@node-rs/argon2'

/**
 * One of the settings that OWASP lists as equally strong: 9 MiB, four passes, one thread; about as long as 19 MiB with two passes. A flood of
 * sign-ins then costs a process 18 MiB at a time instead of 38. A stored hash names its own parameters: older ones stay valid.
 */
const PARAMETERS = { memoryCost: 9_216, timeCost: 4, parallelism: 1 }
/** Longer input only costs time; nobody types it. */
const PASSWORD_LENGTH_MAX = 1_024

/** What passwords of unknown people are compared with, so that an unknown name takes as long as a wrong password. */
const nobodyHash = hash(crypto.randomUUID(), PARAMETERS)

/** The argon2id text to store for a password. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, PARAMETERS)
}

/** Whether the password is the one of this hash; undefined stands for an unknown person: false, after the same work. */
export async function isPasswordRight(passwordHash: string | undefined, password: string): Promise<boolean> {
  const matches = await verify(passwordHash ?? (await nobodyHash), password.slice(0, PASSWORD_LENGTH_MAX))
  return matches && passwordHash !== undefined && password.length <= PASSWORD_LENGTH_MAX
}
