import type { Queryable } from '#server/database/pool.ts'

/** The purpose of a challenge, and the person who may sign it; at a sign-in nobody knows yet. */
export type ChallengeUse = { purpose: 'registration'; personId: string } | { purpose: 'sign_in'; personId: null }

/** Stores a challenge until an instant. */
export async function insertChallenge(queryable: Queryable, challenge: string, use: ChallengeUse, expiresAt: Date): Promise<void> {
  await queryable.query('insert into passkey_challenges (challenge, purpose, person_id, expires_at) values ($1, $2, $3, $4)', [
    challenge,
    use.purpose,
    use.personId,
    expiresAt,
  ])
}

/** Uses a challenge up; false if there is none for this use that is still valid. Of two requests with one challenge, one deletes it. */
export async function spendChallenge(queryable: Queryable, challenge: string, use: ChallengeUse, now: Date): Promise<boolean> {
  const { rowCount } = await queryable.query(
    `delete from passkey_challenges
      where challenge = $1 and purpose = $2 and person_id is not distinct from $3 and expires_at > $4`,
    [challenge, use.purpose, use.personId, now],
  )
  return rowCount === 1
}

/** Removes challenges that ended before an instant; returns how many. */
export async function deleteChallengesBefore(queryable: Queryable, before: Date): Promise<number> {
  const { rowCount } = await queryable.query('delete from passkey_challenges where expires_at < $1', [before])
  return rowCount ?? 0
}
