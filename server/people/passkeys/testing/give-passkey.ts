import { randomBytes, randomUUID } from 'node:crypto'
import type { Clock } from '#lib/time/time.ts'
import type { Pool } from '#server/database/pool.ts'
import { must } from '#server/testing/partner.ts'
import type { FreshProof } from '../../sign-in/fresh-proof.ts'
import { insertChallenge } from '../challenge-store.ts'
import { startPasskeyProof } from '../prove-with-passkey.ts'
import { handleOf, registerPasskey } from '../register-passkey.ts'
import { relyingPartyOf } from '../relying-party.ts'
import { createAuthenticator, type Deviation, type SoftwareAuthenticator } from './software-authenticator.ts'

const ORIGIN = 'https://office.example'
export const RELYING_PARTY = relyingPartyOf(ORIGIN) ?? { id: '', origin: '' }

type ProofOptions = { askedIn?: string; deviation?: Deviation }

/** A passkey `Telephone` of a person, its device, and a session in which the person proves that they hold it. */
export type GivenPasskey = {
  device: SoftwareAuthenticator
  sessionId: string
  /** A right proof in this session; `askedIn`: the device was asked in another one. */
  prove(options?: ProofOptions): Promise<FreshProof>
}

/** Registers a passkey without the questions that a person is asked before. */
export async function givePasskey({ pool, clock }: { pool: Pool; clock: Clock }, personId: string): Promise<GivenPasskey> {
  const deps = { pool, clock, relyingParty: RELYING_PARTY }
  const device = createAuthenticator(ORIGIN)
  const challenge = randomBytes(32).toString('base64url')
  await insertChallenge(pool, challenge, { purpose: 'registration', personId }, new Date(clock.now().getTime() + 60_000))
  const user = { id: handleOf(personId).toString('base64url') }
  const attestation = device.attest({ challenge, rp: RELYING_PARTY, user })
  must(await registerPasskey(deps, { personId, name: 'Telephone', attestation }))
  const sessionId = randomUUID()
  return {
    device,
    sessionId,
    async prove({ askedIn = sessionId, deviation } = {}) {
      const request = must(await startPasskeyProof(deps, { personId, sessionId: askedIn }))
      return passkeyProof(device.assert(request, deviation), sessionId)
    },
  }
}

/** The proof of a command by the answer of a device, in a session. */
export function passkeyProof(assertion: ReturnType<SoftwareAuthenticator['assert']>, sessionId: string): FreshProof {
  return { kind: 'passkey', assertion, context: { sessionId, relyingParty: RELYING_PARTY, peerAddress: '198.51.100.1' } }
}
