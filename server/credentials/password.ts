import { hash, type Options, verify } from '@node-rs/argon2'

/**
 * One of the settings that OWASP lists as equally strong: 9 MiB, four passes, one thread; about as long as 19 MiB with two passes. A flood of
 * sign-ins then costs a process 18 MiB at a time instead of 38. A stored hash names its own parameters: older ones stay valid.
 */
const PARAMETERS: Options = { memoryCost: 9_216, timeCost: 4, parallelism: 1 }
/** Longer passwords are refused: hashing them only costs time. */
const PASSWORD_LENGTH_MAX = 1_024

export type PasswordHasher = {
  /** Returns the argon2id text to store for a password. */
  hashPassword(password: string): Promise<string>
  /** Returns whether the password belongs to this hash. Without a hash (an unknown person): false, after the same work. */
  isPasswordRight(passwordHash: string | undefined, password: string): Promise<boolean>
}

/** Makes a hasher. Tests pass a lower cost, or count the comparisons. */
export function createPasswordHasher(parameters: Options = PARAMETERS, compare: typeof verify = verify): PasswordHasher {
  // Passwords of unknown people are compared with this hash, so that an unknown name takes as long as a wrong password.
  const nobodyHash = hash(crypto.randomUUID(), parameters)
  return {
    hashPassword: (password) => hash(password, parameters),
    async isPasswordRight(passwordHash, password) {
      const matches = await compare(passwordHash ?? (await nobodyHash), password.slice(0, PASSWORD_LENGTH_MAX))
      return matches && passwordHash !== undefined && password.length <= PASSWORD_LENGTH_MAX
    },
  }
}

/** The hasher of this process. */
export const { hashPassword, isPasswordRight } = createPasswordHasher()
