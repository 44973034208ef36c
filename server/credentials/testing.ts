import { createPasswordHasher } from './password.ts'

/** Argon2 at the lowest cost, for tests that compare many passwords. */
export const cheapHasher = createPasswordHasher({ memoryCost: 8, timeCost: 1, parallelism: 1 })
