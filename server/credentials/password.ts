import { hash, verify } from '@node-rs/argon2'

/** OWASP's argon2id floor, which is also what a small machine can bear: 19 MiB, two passes, one thread; about 25 ms. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
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
