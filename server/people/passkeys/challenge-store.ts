import type { Queryable } from '#server/database/pool.ts'

/** The purpose of a challenge, and the person who may sign it; at a sign-in nobody knows yet. A confirmation belongs to one session. */
export type ChallengeUse =
  | { purpose: 'registration'; personId: string }
  | { purpose: 'sign_in'; personId: null }
  | { purpose: 'confirmation'; personId: string; sessionId: string }

/** Stores a challenge until an instant. */
export async function insertChallenge(queryable: Queryable, challenge: string, use: ChallengeUse, expiresAt: Date): Promise<void> {
  await queryable.query(
    'insert into passkey_challenges (challenge, purpose, person_id, session_id, expires_at) values ($1, $2, $3, $4, $5)',
    [challenge, use.purpose, use.personId, sessionOf(use), expiresAt],
  )
}

function sessionOf(use: ChallengeUse): string | null {
  return use.purpose === 'confirmation' ? use.sessionId : null
}

/** Uses a challenge up; false if there is none for this use that is still valid. Of two requests with one challenge, one deletes it. */
export async function spendChallenge(queryable: Queryable, challenge: string, use: ChallengeUse, now: Date): Promise<boolean> {
  const { rowCount } = await queryable.query(
    `delete from passkey_challenges
      where challenge = $1 and purpose = $2 and person_id is not distinct from $3 and session_id is not distinct from $4 and expires_at > $5`,
    [challenge, use.purpose, use.personId, sessionOf(use), now],
  )
  return rowCount === 1
}

/** Removes challenges that ended before an instant; returns how many. */
export async function deleteChallengesBefore(queryable: Queryable, before: Date): Promise<number> {
  const { rowCount } = await queryable.query('delete from passkey_challenges where expires_at < $1', [before])
  return rowCount ?? 0
}
