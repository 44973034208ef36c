import { z } from 'zod'
import { assertionSchema } from '#server/people/passkeys/passkey-answer.ts'
import { relyingPartyOf } from '#server/people/passkeys/relying-party.ts'
import type { FreshProof } from '#server/people/sign-in/fresh-proof.ts'
import { backOfficeRuntime } from '../back-office-runtime.ts'
import { readSession } from './session.ts'
import { peerAddress } from './sign-in.ts'

/** The proof that an action may bring, as a browser sends it: a one-time code, or the answer of a device. */
export const freshProofSchema = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('code'), code: z.string().trim().min(1).max(64) }),
    z.object({ kind: z.literal('passkey'), assertion: assertionSchema }),
  ])
  .optional()

/** Returns a proof as commands take it: that of a passkey counts only in the session of this request, at the site of this installation. */
export async function bindProof(given: z.output<typeof freshProofSchema>): Promise<FreshProof | undefined> {
  if (given?.kind !== 'passkey') return given
  const session = await readSession()
  if (!session) return undefined
  const relyingParty = relyingPartyOf(backOfficeRuntime().config.publicUrl)
  return { ...given, context: { sessionId: session.sessionId, relyingParty, peerAddress: peerAddress() } }
}
