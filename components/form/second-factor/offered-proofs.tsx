'use client'

import { createContext, type ReactNode, useContext, useMemo, useState } from 'react'
import type { OfferedProofs, PasskeyRequest } from '#lib/people/passkeys.ts'
import type { Result } from '#lib/result.ts'

/** Begins a confirmation with a passkey: the action of the application, since components call none of their own. */
export type StartProof = () => Promise<Result<PasskeyRequest, string>>

type Offered = OfferedProofs & { startProof: StartProof | null }

const OfferedContext = createContext<Offered>({ hasCodes: true, hasPasskey: false, startProof: null })

/** Tells the forms below with what the person who is signed in can confirm something. */
export function OfferedProofsProvider({ hasCodes, hasPasskey, startProof, children }: Offered & { children: ReactNode }) {
  // Each refresh brings another reference to the same action, and parts that load later must not see another context for it.
  const [start] = useState(() => startProof)
  const offered = useMemo(() => ({ hasCodes, hasPasskey, startProof: start }), [hasCodes, hasPasskey, start])
  return <OfferedContext value={offered}>{children}</OfferedContext>
}

/** Whether a form that needs a fresh proof asks for a one-time code, for a passkey, or for either. */
export function useOfferedProofs(): { asksCode: boolean; asksPasskey: boolean; startProof: StartProof | null } {
  const { hasCodes, hasPasskey, startProof } = useContext(OfferedContext)
  // Somebody who has neither learns from the refusal of a code what to set up.
  return { asksCode: hasCodes || !hasPasskey, asksPasskey: hasPasskey, startProof }
}
